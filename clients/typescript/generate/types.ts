/** A schema as the OpenAPI document has it. */
export type Schema = {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
};
export type Schemas = Readonly<Record<string, Schema>>;

/** The name behind a reference, null for any other schema. */
export const refName = (schema: Schema): string | null =>
  schema.$ref?.replace('#/components/schemas/', '') ?? null;

/** The schema as a type of TypeScript, without its bounds. */
export const typeOf = (schema: Schema): string => {
  const name = refName(schema);
  if (name !== null) return name;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map((one) => JSON.stringify(one)));
  for (const keyword of ['anyOf', 'oneOf']) {
    const shapes = schema[keyword];
    if (Array.isArray(shapes)) return union((shapes as readonly Schema[]).map(typeOf));
  }
  if (Array.isArray(schema['allOf'])) {
    return (schema['allOf'] as readonly Schema[]).map((one) => `(${typeOf(one)})`).join(' & ');
  }
  const { type } = schema;
  if (Array.isArray(type)) {
    return union((type as readonly string[]).map((one) => plainType({ ...schema, type: one })));
  }
  return plainType(schema);
};

const union = (shapes: readonly string[]): string => [...new Set(shapes)].join(' | ');

const plainType = (schema: Schema): string => {
  const { type } = schema;
  switch (typeof type === 'string' ? type : 'anything') {
    case 'string':
      return schema['format'] === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'null':
      return schema.type as string;
    case 'array':
      return listOf(schema);
    case 'object':
      return objectOf(schema);
    default:
      return 'unknown';
  }
};

const listOf = (schema: Schema): string => {
  const places = schema['prefixItems'] as readonly Schema[] | undefined;
  if (places !== undefined) return `readonly [${places.map(typeOf).join(', ')}]`;
  return `readonly (${typeOf((schema['items'] ?? {}) as Schema)})[]`;
};

const objectOf = (schema: Schema): string => {
  const further = schema['additionalProperties'];
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, one]) =>
      `${docComment(one.description).trimStart()}readonly ${memberName(name)}` +
      `${schema.required?.includes(name) === true ? '' : '?'}: ${typeOf(one)};`,
  );
  const free =
    further === undefined || further === false
      ? null
      : `Readonly<Record<string, ${typeOf(further === true ? {} : (further as Schema))}>>`;
  if (members.length === 0) return free ?? 'Readonly<Record<string, never>>';
  const object = `{ ${members.join('\n')} }`;
  return free === null ? object : `${object} & ${free}`;
};

const memberName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

/** A docstring in lines of at most 90 characters; empty for an empty text. */
export const docComment = (text: string | undefined): string => {
  if (text === undefined || text === '') return '';
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 88) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  if (lines.length === 1 && text.length < 80) return `\n/** ${lines.join('')} */\n`;
  return `\n/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */\n`;
};

/** Every name that the schema itself refers to. */
export const namesIn = (schema: unknown): readonly string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  const own = refName(schema as Schema);
  return [...(own === null ? [] : [own]), ...Object.values(schema).flatMap(namesIn)];
};

/** These names and all that they refer to, transitively. */
export const reachableNames = (names: readonly string[], schemas: Schemas): ReadonlySet<string> => {
  const found = new Set<string>();
  const left = [...names];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    left.push(...namesIn(schemas[name] ?? {}));
  }
  return found;
};
