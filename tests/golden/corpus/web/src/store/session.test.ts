import { expect, test } from "vitest";
import { SessionStore } from "./session";

test("clearing the session tells the listeners", () => {
  const session = new SessionStore(window.localStorage);
  const seen: boolean[] = [];
  session.subscribe((signedIn) => seen.push(signedIn));
  session.save("abc");
  session.clear();
  expect(seen).toEqual([true, false]);
});
