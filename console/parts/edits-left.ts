/** The edited members that differ from those of the service, lists by their items. */
export const editsLeft = <T extends object>(current: T, edits: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(edits).filter(
      ([member, value]) => String(value) !== String(current[member as keyof T]),
    ),
  ) as Partial<T>;
