import { pathPrefix, takesIdempotencyKey, type Operation } from '../../../contract/operation.js';
import { methodName, waitMethods } from './names.js';
import { docComment, namesIn, refName, typeOf, type Schema, type Schemas } from './types.js';

/** The members of an OpenAPI operation that a client is generated from. */
export type OperationDescription = {
  readonly operationId: string;
  readonly parameters: readonly Schema[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
};

/** Source of a method: the operation, its description, and the referenced components. */
export type MethodSource = {
  readonly operation: Operation;
  readonly described: OperationDescription;
  readonly schemas: Schemas;
  readonly parameters: Schemas;
};

/** The types that the method of this operation names. */
export const typesOf = ({ described, schemas }: MethodSource): readonly string[] => [
  ...namesIn(bodyOf(described)?.schema ?? {}),
  ...answersOf(described, schemas).flatMap((answer) => namesIn(answer ?? {})),
];

/** The method, and a polling variant for operations that report progress. */
export const methodOf = (tag: string, source: MethodSource): string => {
  const { operation, described, schemas } = source;
  const name = methodName(tag, operation.operationId);
  const [answer, some] = answersOf(described, schemas);
  const isRead = source.operation.kind === 'r';
  const list = answer === null || !isRead ? null : listIn(answer, schemas);
  const told = answer === null ? 'void' : typeOf(answer);
  const facts = `{ ${factsOf(source).join(', ')} }`;
  const { type, isOptional } = inputOf(source);
  const input = isOptional ? `input: ${type} = {}` : `input: ${type}`;
  const waiting = waitMethods[operation.operationId];
  const says = docComment(
    `${operation.summary}. ${operation.description} (contract ${operation.section})`,
  ).trim();
  const method = (kind: string, result: string, further = ''): string =>
    `${says}\n${name}(${input}, options?: CallOptions): ${result} {` +
    ` return this.#call.${kind}(${facts}, input, options${further}); }`;
  const lines =
    operation.media !== 'application/json'
      ? [method('download', 'Promise<Download>')]
      : list === null
        ? [method('answer', `Promise<${told}>`)]
        : some !== null
          ? [pagesOfFields({ name, list, told: [told, typeOf(some)], facts, says, type })]
          : [method('pages', pagedType(told, list), `, '${list}'`)];
  if (waiting === undefined) return lines.join('\n');
  const doc = `Asks ${name} until it is over and resolves with the last answer, however it ended.`;
  return [
    ...lines,
    `/** ${doc} */`,
    `${waiting}(${input}, options?: WaitOptions<${told}>): Promise<${told}> {` +
      ` return this.#call.wait(${facts}, input, options); }`,
  ].join('\n');
};

const pagedType = (page: string, list: string): string =>
  `Paged<${page}, ${page}['${list}'][number]>`;

type FieldsSource = {
  /** Name of the method. */
  readonly name: string;
  readonly list: string;
  /** Types of the pages of whole records, and of some of their members. */
  readonly told: readonly [whole: string, some: string];
  readonly facts: string;
  readonly says: string;
  readonly type: string;
};

/** A search as overloads: the type of its records follows from `fields`. */
const pagesOfFields = ({ name, list, told, facts, says, type }: FieldsSource): string => {
  const [whole, some] = told.map((page) => pagedType(page, list));
  const either = pagedType(`(${told.join(' | ')})`, list);
  const options = 'options?: CallOptions';
  return [
    `${says}\n${name}(input?: ${type} & { readonly fields?: null }, ${options}): ${whole};`,
    `${says}\n${name}(input: ${type}, ${options}): ${some};`,
    `${name}(input: ${type} = {}, ${options}): ${either} {` +
      ` return this.#call.pages(${facts}, input, options, '${list}'); }`,
  ].join('\n');
};

const factsOf = (source: MethodSource): readonly string[] => {
  const { operation } = source;
  const { kind, method } = operation;
  const query = Object.keys(operation.query.properties);
  const schemes = operation.schemes.join('');
  const sent = bodyKindOf(source);
  return [
    `method: '${method}'`,
    `path: '${operation.path.replace(pathPrefix, '')}'`,
    ...(kind === 'r' ? ['isRead: true'] : []),
    ...(takesIdempotencyKey(operation) ? ['isKeyed: true'] : []),
    ...(schemes === defaultSchemes ? [] : [`schemes: '${schemes}'`]),
    ...(query.length > 0 ? [`query: ${wrapLiteral(query.join(' '))}`] : []),
    ...(sent === null || sent === 'json' ? [] : [`sends: '${sent}'`]),
  ];
};
/** Default schemes, which an operation omits, like a JSON body. */
const defaultSchemes = 'KBP';

/** A literal split to fit lines. */
const wrapLiteral = (text: string): string =>
  text.length <= lineMax
    ? `'${text}'`
    : `'${text.slice(0, lineMax)}' + ${wrapLiteral(text.slice(lineMax))}`;
const lineMax = 80;

/** `whole`: the body is the member `body`, since it is a list or shares a name with the path. */
const bodyKindOf = (source: MethodSource): 'json' | 'form' | 'urlencoded' | 'whole' | null => {
  const { operation, described, schemas } = source;
  const body = bodyOf(described);
  if (body === null) return null;
  if (operation.form !== null) return 'form';
  if (operation.encoding === 'urlencoded') return 'urlencoded';
  const members = Object.keys(resolveSchema(body.schema, schemas).properties ?? {});
  const isTaken = members.some((one) => operation.path.includes(`{${one}}`));
  return isTaken || resolveSchema(body.schema, schemas).type === 'array' ? 'whole' : 'json';
};

/** True for operations in a project, which defaults to that of the client. */
const isDefaulted = (name: string, operation: Operation): boolean =>
  name === 'project_id' && operation.path.startsWith('/v2/projects/{project_id}/');

const inputOf = (source: MethodSource): { readonly type: string; readonly isOptional: boolean } => {
  const { operation, described, schemas, parameters } = source;
  const body = bodyOf(described);
  const sent = bodyKindOf(source);
  const inBody = new Set(
    sent === 'whole' || body === null
      ? []
      : Object.keys(resolveSchema(body.schema, schemas).properties ?? {}),
  );
  const own = described.parameters
    .map((one) => resolveSchema(one, parameters, '#/components/parameters/'))
    .filter((one) => one['in'] === 'path' || one['in'] === 'query')
    .filter((one) => one['in'] === 'path' || !inBody.has(String(one['name'])))
    .map((one) => {
      const name = String(one['name']);
      const isNeeded = (one['required'] as unknown) === true && !isDefaulted(name, operation);
      const text = `readonly ${name}${isNeeded ? '' : '?'}: ${typeOf(one['schema'] as Schema)}`;
      return { text, isNeeded };
    });
  const needsBody =
    body !== null &&
    (sent === 'whole' || (resolveSchema(body.schema, schemas).required ?? ['?']).length > 0) &&
    !isAllOptional(body.schema, schemas);
  const named = body === null ? null : typeOf(body.schema);
  const members = own.map(({ text }) => text);
  if (sent === 'whole') members.push(`readonly body: ${named}`);
  const parts = [
    ...(members.length > 0 ? [`{ ${members.join('; ')} }`] : []),
    ...(named !== null && sent !== 'whole' ? [named] : []),
  ];
  return {
    type: parts.length === 0 ? 'NoInput' : parts.join(' & '),
    isOptional: !needsBody && sent !== 'whole' && own.every((one) => !one.isNeeded),
  };
};

const isAllOptional = (schema: Schema, schemas: Schemas): boolean => {
  const { properties, required } = resolveSchema(schema, schemas);
  return properties !== undefined && (required ?? []).length === 0;
};

const bodyOf = (described: OperationDescription): { readonly schema: Schema } | null =>
  Object.values(described.requestBody?.content ?? {})[0] ?? null;

const answerOf = (described: OperationDescription): Schema | null =>
  Object.values(described.responses['200']?.content ?? {})[0]?.schema ?? null;

/** The answer, and the page of records with some of their members where `fields` asks for it. */
const answersOf = (
  described: OperationDescription,
  schemas: Schemas,
): readonly [Schema | null, Schema | null] => {
  const answer = answerOf(described);
  const pages = (resolveSchema(answer ?? {}, schemas)['anyOf'] ?? []) as readonly Schema[];
  const [whole, some] = pages;
  if (whole === undefined || some === undefined || pages.length > 2) return [answer, null];
  return pages.every((page) => refName(page)?.endsWith('Page') === true)
    ? [whole, some]
    : [answer, null];
};

const resolveSchema = (
  schema: Schema,
  schemas: Schemas,
  under = '#/components/schemas/',
): Schema => {
  const name =
    under === '#/components/schemas/' ? refName(schema) : schema.$ref?.replace(under, '');
  return name == null ? schema : (schemas[name] ?? schema);
};

/** The list of a page (contract 1.10, 5.14); null for an answer without pages. */
const listIn = (answer: Schema, schemas: Schemas): string | null => {
  const members = resolveSchema(answer, schemas).properties ?? {};
  if (!('next_starting_token' in members) && !('next_cursor' in members)) return null;
  const lists = Object.keys(members).filter((name) => members[name]?.type === 'array');
  const [list] = lists.filter((name) => lists.length === 1 || rowNames.includes(name));
  if (list === undefined) throw new Error(`which list has the rows? ${lists.join(', ')}`);
  return list;
};
const rowNames = ['rows', 'traces'];
