import type { TSchema } from 'typebox';

type Raw = {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Raw[];
  readonly type?: string;
  readonly format?: string;
  readonly items?: Raw;
  readonly properties?: Readonly<Record<string, Raw>>;
};

/** A value that the schema allows, with every member it names: the same for the same schema. */
export const sampleOf = (schema: TSchema): unknown => sample(schema, 'sample');

const formats: Readonly<Record<string, string>> = {
  uuid: '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20',
  'date-time': '2026-03-01T09:00:00.000000Z',
};

const sample = (schema: Raw, name: string): unknown => {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [first] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (first !== undefined) return sample(first, name);
  switch (schema.type ?? 'null') {
    case 'string':
      return formats[schema.format ?? ''] ?? name;
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return schema.items === undefined ? [] : [sample(schema.items, name)];
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([member, one]) => [
          member,
          sample(one, member),
        ]),
      );
    default:
      return null;
  }
};
