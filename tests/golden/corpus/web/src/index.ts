import { ApiClient } from "./api/client";
import { SessionStore } from "./store/session";
import { translate } from "./i18n/translate";

/** Start the page: restore the session, then show the parcels. */
export async function start(root: HTMLElement): Promise<void> {
  const session = new SessionStore(window.localStorage);
  const client = new ApiClient("/api", session);
  root.textContent = translate("loading", session.language);
  const parcels = await client.listParcels();
  root.textContent = translate("parcels", session.language, { count: parcels.length });
}
