/**
 * The member of a map whose names are recorded ones; undefined for a name that only its prototype
 * has, such as `constructor`.
 */
export const ownMember = <V>(map: Readonly<Record<string, V>>, name: string): V | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;
