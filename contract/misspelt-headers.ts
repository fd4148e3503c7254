/** Header that is not read, and the one it may stand for; both in lower case. */
export type MisspeltHeader = { readonly sent: string; readonly meant: string };
