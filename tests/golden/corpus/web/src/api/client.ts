import { withRetry } from "./retry";
import type { SessionStore } from "../store/session";

export interface ParcelSummary {
  code: string;
  state: "booked" | "in_transit" | "delivered" | "lost";
  priceCents: number;
}

export class HttpError extends Error {
  constructor(readonly status: number, readonly url: string) {
    super(`${url} answered ${status}`);
  }
}

/** Talks to the web service with the session's token. */
export class ApiClient {
  constructor(private readonly base: string, private readonly session: SessionStore) {}

  async listParcels(): Promise<ParcelSummary[]> {
    return this.get<ParcelSummary[]>("/parcels");
  }

  async trackParcel(code: string): Promise<ParcelSummary> {
    return this.get<ParcelSummary>(`/parcels/${encodeURIComponent(code)}`);
  }

  private async get<T>(path: string): Promise<T> {
    const url = this.base + path;
    const response = await withRetry(() => fetch(url, { headers: this.authorization() }));
    if (response.status === 401) {
      this.session.clear();
    }
    if (!response.ok) {
      throw new HttpError(response.status, url);
    }
    return (await response.json()) as T;
  }

  private authorization(): Record<string, string> {
    return this.session.token ? { Authorization: `Bearer ${this.session.token}` } : {};
  }
}
