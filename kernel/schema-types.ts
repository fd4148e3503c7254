import { Type, type Static, type TSchema } from 'typebox';

declare const brand: unique symbol;
/** Nominal type: a user id in a key's place does not compile. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Id as lower-case RFC 9562 text. */
export type Id<Name extends string> = Brand<string, Name>;
export type ProjectId = Id<'ProjectId'>;
export type OrganizationId = Id<'OrganizationId'>;
export type UserId = Id<'UserId'>;
export type ApiKeyId = Id<'ApiKeyId'>;
/** Family of refresh tokens that follow from one login. */
export type FamilyId = Id<'FamilyId'>;
export type GroupId = Id<'GroupId'>;
export type GroupMemberId = Id<'GroupMemberId'>;
export type CollaboratorId = Id<'CollaboratorId'>;
export type OrgJobId = Id<'OrgJobId'>;
export type JobId = Id<'JobId'>;
export type DeletionId = Id<'DeletionId'>;
export type RunId = Id<'RunId'>;
export type DatasetId = Id<'DatasetId'>;
export type ScorerTaskId = Id<'ScorerTaskId'>;
export type ScorerId = Id<'ScorerId'>;
export type ScorerVersionId = Id<'ScorerVersionId'>;
export type ExperimentGroupId = Id<'ExperimentGroupId'>;
export type TagId = Id<'TagId'>;
export type SessionId = Id<'SessionId'>;
export type TraceId = Id<'TraceId'>;
export type SpanId = Id<'SpanId'>;
export type TemplateId = Id<'TemplateId'>;
export type ViewId = Id<'ViewId'>;
export type PromptTemplateId = Id<'PromptTemplateId'>;
export type PromptVersionId = Id<'PromptVersionId'>;
export type IntegrationId = Id<'IntegrationId'>;
export type SealId = Id<'SealId'>;

/**
 * Instant in canonical RFC 3339, UTC with six fraction digits, `2026-03-01T09:00:00.000000Z`
 * (contract 1.3): sorts as text.
 */
export type Instant = Brand<string, 'Instant'>;

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [member: string]: Json };

/**
 * Schema of an id. `x-kind` selects the guard's text rule of contract 1.3 (engines/ajv) and its
 * normalisation: `uuid` lower-cased, `instant` canonical, `name` trimmed. A failed rule has the
 * error type of its kind.
 */
export const id = <Name extends string>(_name: Name) =>
  Type.Unsafe<Id<Name>>(Type.String({ format: 'uuid', 'x-kind': 'uuid' }));

export const instant = Type.Unsafe<Instant>(
  Type.String({ format: 'date-time', 'x-kind': 'instant' }),
);

/** Schemas of plain values, by the type of a field (kernel/records/span-fields.ts). */
export const plainSchemas = {
  text: Type.String(),
  integer: Type.Integer(),
  number: Type.Number(),
};

/** Schema of a name (contract 1.3): trimmed, 1 to `max` code points, no control characters. */
export const name = (max = 255) => Type.String({ minLength: 1, maxLength: max, 'x-kind': 'name' });

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** Optional and nullable: null and absence mean the same (contract 1.2, rule 4). */
export const nullish = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/**
 * Secret value, never shown in a log line, event or error: the redaction list is built from these
 * marks.
 */
export const secret = (
  options: { readonly minLength?: number; readonly maxLength?: number } = {},
) => Type.String({ ...options, 'x-secret': true });

export const oneOf = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>(Type.String({ enum: [...values] }));

/** Array that is read-only, with read-only items. */
export const readonlyArray = <T extends TSchema>(items: T) =>
  Type.Unsafe<readonly Readonly<Static<T>>[]>(Type.Array(items));
export const readonlyRecord = <T extends TSchema>(values: T) =>
  Type.Unsafe<Readonly<Record<string, Static<T>>>>(Type.Record(Type.String(), values));

/**
 * Schema that is described once, under `components/schemas` of the OpenAPI document (there a `$ref`
 * stands in its place), and checked by the route's `check`: the guard accepts any JSON. For the
 * recursive filter tree.
 */
export const componentSchema = <T>(name: string) =>
  Type.Unsafe<T>(Type.Unknown({ 'x-component': name }));

/**
 * Named schema: the OpenAPI document has it once, under `components/schemas`, and a `$ref` wherever
 * it is used. The guard checks it in place. One name has one schema.
 */
export const namedSchema = <T extends TSchema>(component: string, schema: T): T =>
  Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(schema),
    'x-component': { value: component, enumerable: true },
  }) as T;

/** Name set by `namedSchema`; null for a schema without a name. */
export const schemaNameOf = (schema: TSchema): string | null => {
  const component: unknown = (schema as { readonly 'x-component'?: unknown })['x-component'];
  return typeof component === 'string' ? component : null;
};

export type { Static, TSchema };
