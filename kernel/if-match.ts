/**
 * What `If-Match` asks for (contract 1.9): `*` = that the object exists, else one of these strong
 * tags, without quotes. Weak tags are left out, because they never match; so a list may be empty.
 */
export type IfMatch = '*' | readonly string[];

/** Whether the object may be changed; `etag` is what it has now, null = it does not exist. */
export const isIfMatchMet = (ifMatch: IfMatch | null, etag: string | null): boolean => {
  if (ifMatch === null) return true;
  return etag !== null && (ifMatch === '*' || ifMatch.includes(etag));
};
