/**
 * `If-Match` condition, optimistic concurrency over HTTP (contract 1.9): `*` = the object exists,
 * else one of these strong tags, without quotes. Weak tags are left out, because they never match;
 * so a list may be empty.
 */
export type IfMatch = '*' | readonly string[];

/** True if the object may be changed; `etag` is its current one, null = it does not exist. */
export const isIfMatchMet = (ifMatch: IfMatch | null, etag: string | null): boolean => {
  if (ifMatch === null) return true;
  return etag !== null && (ifMatch === '*' || ifMatch.includes(etag));
};
