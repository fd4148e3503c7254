import { hash } from 'node:crypto';

/** Response of a provider to one attempt, as far as it arrived. */
export type ReceivedResponse = {
  readonly status: number;
  /** `Retry-After` as sent; null when absent. */
  readonly retryAfter: string | null;
  /** The whole body; null while it has not arrived. */
  readonly body: Uint8Array | null;
};

export type Fetch = typeof globalThis.fetch;

/** Changes to the requests of a package, for providers whose interface differs a little. */
type RequestChanges = {
  readonly query?: Readonly<Record<string, string>>;
  /** Headers to set; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>>;
};

/**
 * Records the responses of one attempt: `around` wraps its `fetch`, changed by `change` on the way
 * out; `received` is the last response, read as a whole before the package sees it, so that status,
 * digest and body do not depend on the package.
 */
export const openRecordingFetch = (
  fetch: Fetch,
): {
  readonly around: (change?: (fetch: Fetch) => Fetch) => Fetch;
  readonly received: () => ReceivedResponse | null;
} => {
  let received: ReceivedResponse | null = null;
  const around = (change: (fetch: Fetch) => Fetch = (same) => same): Fetch => {
    const changed = change(fetch);
    return async (input, init) => {
      received = null;
      const response = await changed(input, init);
      const { status, headers } = response;
      received = { status, retryAfter: headers.get('retry-after'), body: null };
      const body = new Uint8Array(await response.arrayBuffer());
      received = { ...received, body };
      return new Response(hasBody(status) ? body : null, { status, headers });
    };
  };
  return { around, received: () => received };
};
const hasBody = (status: number): boolean => status !== 204 && status !== 205 && status !== 304;

export const changingFetch =
  (fetch: Fetch, { query = {}, headers = {} }: RequestChanges): Fetch =>
  (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers))
      if (value === null) sent.delete(name);
      else sent.set(name, value);
    return fetch(url, { ...init, headers: sent });
  };

/** SHA-256 of a body in hex. */
export const digestOfBody = (body: Uint8Array): string => hash('sha256', body, 'hex');
