/** Filter of a list for what has the text in its name, or in another member, in any case. */
export const containsFilter = <N extends string>(name: N, text: string) =>
  text === '' ? [] : [{ name, operator: 'contains', value: text, case_sensitive: false } as const];
