/** A header that is not read, and the one that it may stand for; both in lower case. */
export type MisspeltHeader = { readonly sent: string; readonly meant: string };
