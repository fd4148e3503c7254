/**
 * A name that came from outside as the name of a member: any text, told apart from any other, and
 * nothing that the server, its query language or JavaScript reads as more than a name. Begins with
 * `_`, so it is never a number, an operator or `__proto__`.
 */
export const memberOf = (name: string): string => `_${name.replace(/[%.$\0]/g, spelled)}`;

const spelled = (one: string): string => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** The name behind such a member. */
export const nameOf = (member: string): string =>
  member
    .slice(1)
    .replace(/%([0-9a-f]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
