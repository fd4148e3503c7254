/** Role of a new key; `own`: all rights of its creator. */
export type KeyRole = 'editor' | 'annotator' | 'viewer' | 'own';
export const keyRoles = [
  { value: 'editor', text: 'editor: logs and changes records' },
  { value: 'annotator', text: 'annotator: rates' },
  { value: 'viewer', text: 'viewer: reads' },
  { value: 'own', text: 'all of your rights' },
] as const satisfies readonly { readonly value: KeyRole; readonly text: string }[];

export type KeyLifetime = 'never' | '1' | '30' | '90' | '365';
export const keyLifetimes = [
  { value: 'never', text: 'never' },
  { value: '1', text: 'in a day' },
  { value: '30', text: 'in 30 days' },
  { value: '90', text: 'in 90 days' },
  { value: '365', text: 'in a year' },
] as const satisfies readonly { readonly value: KeyLifetime; readonly text: string }[];

/** The time at which a key ends that is made at `now`; null: never. */
export const expiryOf = (lifetime: KeyLifetime, now: number): string | null =>
  lifetime === 'never' ? null : new Date(now + Number(lifetime) * 86_400_000).toISOString();
