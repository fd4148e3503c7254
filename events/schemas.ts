import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';

/**
 * Events of a noun: the schema of the newest data of each type, by its name. The union of the
 * noun's events, the list of all and the subscribed types of a projection derive from it.
 */
export type EventSchemas = Readonly<Record<string, TSchema>>;

/** Properties that history and audit logs show of an event type. */
type EventTraits = {
  readonly activity: AuditActivity;
  /** History lists the event as technical, although its stream is not. */
  readonly isTechnical?: true;
};
/** Schema of an event in a noun. */
export type EventSchema = TSchema & EventTraits;

/** Class and activity of an event in audit logs; `ledger/exports/ocsf.ts` has their numbers. */
export type AuditActivity =
  | `access ${'assign' | 'revoke'}`
  | `account ${'create' | 'delete' | 'enable' | 'other' | 'password' | 'password reset'}`
  | `entity ${'create' | 'delete' | 'disable' | 'enable' | 'update'}`
  | `group ${'add' | 'create' | 'delete' | 'other' | 'remove'}`
  | `login ${'off' | 'on' | 'other'}`;

/** Schema of an event with these members. */
export const event = <P extends TProperties>(
  activity: AuditActivity,
  members: P,
  traits: Omit<EventTraits, 'activity'> = {},
): TObject<P> & EventTraits =>
  Type.Object(members, { activity, ...traits }) as TObject<P> & EventTraits;

export type EventOf<M extends EventSchemas> = {
  [T in keyof M & string]: { readonly type: T; readonly data: Static<M[T]> };
}[keyof M & string];

export type DataOf<
  E extends { readonly type: string; readonly data: unknown },
  T extends E['type'],
> = Extract<E, { readonly type: T }>['data'];

/** Some of a noun's events. */
export const pickEvents = <M extends EventSchemas, T extends keyof M & string>(
  events: M,
  ...types: readonly T[]
): Pick<M, T> => Object.fromEntries(types.map((type) => [type, events[type]])) as Pick<M, T>;

/** All events of a noun except these: a new one is included by default. */
export const omitEvents = <M extends EventSchemas, T extends keyof M & string>(
  events: M,
  ...types: readonly T[]
): Omit<M, T> => {
  const left = { ...events };
  for (const type of types) delete left[type];
  return left;
};
