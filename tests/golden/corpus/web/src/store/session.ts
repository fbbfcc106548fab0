type Listener = (signedIn: boolean) => void;

/** Remembers the session token across page loads and tells listeners when it changes. */
export class SessionStore {
  private listeners = new Set<Listener>();

  constructor(private readonly storage: Storage) {}

  get token(): string | null {
    return this.storage.getItem("session");
  }

  get language(): string {
    return this.storage.getItem("language") ?? "en";
  }

  save(token: string): void {
    this.storage.setItem("session", token);
    this.notify();
  }

  clear(): void {
    this.storage.removeItem("session");
    this.notify();
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private notify(): void {
    for (const listener of this.listeners) {
      listener(this.token !== null);
    }
  }
}
