import { format } from 'prettier';
import { components, operations } from '../../../contract/all.js';
import { nouns } from '../../../contract/nouns.js';
import { openApiDocument, type OpenApiTag } from '../../../contract/openapi.js';
import { methodOf, typesOf, type OperationDescription, type MethodSource } from './methods.js';
import { className, methodName, nounFile, nounName, waitMethods } from './names.js';
import { docComment, namesIn, reachableNames, typeOf, type Schema, type Schemas } from './types.js';

const generatedNotice = '// Written by npm run generate from the contract: change that.\n';

/**
 * The files of `src/generated`, by name: a file of methods and one of types for each noun,
 * `all.ts` and `requirements.ts`. Deterministic, formatted as the project is. A type stands with
 * the first noun that needs it, so that imports go to earlier nouns only.
 */
export const generatedFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const document = openApiDocument({ operations, components, nouns }) as unknown as Document;
  const sources = nouns.map((noun) => ({ noun, sources: sourcesOf(noun, document) }));
  const { schemas } = document.components;
  const homes = new Map<string, string>();
  const files = new Map<string, string>();
  for (const { noun, sources: own } of sources) {
    const file = `${nounFile(noun.name)}-types`;
    const needed = [...reachableNames(own.flatMap(typesOf), schemas)];
    const here = needed.filter((name) => !homes.has(name)).sort();
    for (const part of partsOf(here, schemas)) {
      const name = part.number === 1 ? file : `${file}-${part.number}`;
      for (const one of part.names) homes.set(one, name);
      files.set(`${name}.ts`, typesFile(part.names, schemas, homes, name));
    }
    files.set(`${nounFile(noun.name)}.ts`, methodsFile(noun, own, homes));
  }
  files.set('all.ts', allFile());
  files.set('requirements.ts', requirementsFile(sources));
  const formatted = [...files].map(
    async ([name, text]) =>
      [
        name,
        await format(`${generatedNotice}${text}`, {
          parser: 'typescript',
          printWidth: 100,
          singleQuote: true,
        }),
      ] as const,
  );
  return new Map(await Promise.all(formatted));
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>;
  readonly components: { readonly schemas: Schemas; readonly parameters: Schemas };
};

const sourcesOf = (noun: OpenApiTag, document: Document): readonly MethodSource[] => {
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return noun.operations.flatMap(({ operationId }) => {
    const operation = operations.find((one) => one.operationId === operationId);
    const own = described.find((one) => one.operationId === operationId);
    if (operation === undefined || own === undefined) throw new Error(`no ${operationId}`);
    // Protobuf operations are for exporters, which have clients of their own.
    return operation.protobuf === null
      ? [{ operation, described: own, ...document.components }]
      : [];
  });
};

/** Limit of a types file, roughly in members, names and comments, to keep it readable. */
const weightMax = 340;
const weightOf = (schema: Schema): number => {
  const text = JSON.stringify(schema);
  return 1 + text.split('":{').length + text.split('"description":"').length;
};

/** Splits types into parts that refer only to themselves and to earlier parts. */
const partsOf = (
  names: readonly string[],
  schemas: Schemas,
): readonly { readonly number: number; readonly names: readonly string[] }[] => {
  const parts: string[][] = [[]];
  let weight = 0;
  const left = new Set(names);
  const circleOf = (name: string): readonly string[] =>
    [...reachableNames([name], schemas)].filter(
      (one) => left.has(one) && reachableNames([one], schemas).has(name),
    );
  const put = (name: string): void => {
    if (!left.has(name)) return;
    const circle = circleOf(name);
    for (const one of circle) left.delete(one);
    for (const one of circle) namesIn(schemas[one]).forEach(put);
    const own = circle.reduce((sum, one) => sum + weightOf(schemas[one] ?? {}), 0);
    if (weight > 0 && weight + own > weightMax) {
      parts.push([]);
      weight = 0;
    }
    weight += own;
    parts.at(-1)?.push(...circle);
  };
  names.forEach(put);
  return parts
    .map((part, index) => ({ number: index + 1, names: part.sort() }))
    .filter((part) => part.names.length > 0);
};

const typesFile = (
  names: readonly string[],
  schemas: Schemas,
  homes: ReadonlyMap<string, string>,
  own: string,
): string => {
  const used = names.flatMap((name) => namesIn(schemas[name]));
  const types = names.map((name) => {
    const schema = schemas[name] ?? {};
    return `${docComment(schema.description)}export type ${name} = ${typeOf(schema)};\n`;
  });
  return `${importsOf(used, homes, own)}\n${types.join('\n')}`;
};

const importsOf = (
  names: readonly string[],
  homes: ReadonlyMap<string, string>,
  own: string,
): string => {
  const byFile = new Map<string, Set<string>>();
  for (const name of names) {
    const home = homes.get(name) ?? '';
    if (home !== own) byFile.set(home, (byFile.get(home) ?? new Set()).add(name));
  }
  return [...byFile]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, all]) => `import type { ${[...all].sort().join(', ')} } from './${file}.js';\n`)
    .join('');
};

const methodsFile = (
  noun: OpenApiTag,
  sources: readonly MethodSource[],
  homes: ReadonlyMap<string, string>,
): string => {
  const methods = sources.map((source) => methodOf(noun.name, source));
  const text = methods.join('\n');
  const words = ['Call', 'CallOptions', 'Download', 'NoInput', 'Paged', 'WaitOptions'].filter(
    (word) => new RegExp(`\\b${word}\\b`).test(`Call ${text}`),
  );
  const names = sources.flatMap(typesOf).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  return (
    `import type { ${words.join(', ')} } from '../call.js';\n` +
    `${importsOf(names, homes, '')}\n/** ${noun.description} */\n` +
    `export class ${className(noun.name)} {\nreadonly #call: Call;\n\n` +
    `constructor(call: Call) { this.#call = call; }\n\n${text}\n}\n`
  );
};

const allFile = (): string => {
  const names = nouns.map(({ name }) => ({ name: className(name), file: nounFile(name) }));
  return [
    "import type { Call } from '../call.js';",
    ...names.map(({ name, file }) => `import { ${name} } from './${file}.js';`),
    '\n/** Every operation of the service, under its noun. */',
    'export class Nouns {',
    ...nouns.map(
      ({ name, description }) =>
        `${docComment(description)}readonly ${nounName(name)}: ${className(name)};`,
    ),
    '\nconstructor(call: Call) {',
    ...nouns.map(({ name }) => `this.${nounName(name)} = new ${className(name)}(call);`),
    '}\n}',
  ].join('\n');
};

/** The requirements of all methods as types, which cost a program no bytes. */
const requirementsFile = (nounSources: readonly NounSources[]): string =>
  [
    typeOfKind('ReadRequirements', 'reads', 'r', nounSources),
    typeOfKind('WriteRequirements', 'writes', 'w', nounSources),
  ].join('\n');

type NounSources = { readonly noun: OpenApiTag; readonly sources: readonly MethodSource[] };

const typeOfKind = (
  name: string,
  verb: string,
  kind: 'r' | 'w',
  nounSources: readonly NounSources[],
): string => {
  const members = nounSources.map(({ noun, sources }) => {
    const methods = sources
      .filter(({ operation }) => operation.kind === kind)
      .flatMap(({ operation: { operationId, requires } }) => {
        const waiting = waitMethods[operationId];
        const names = [
          methodName(noun.name, operationId),
          ...(waiting === undefined ? [] : [waiting]),
        ];
        return names.map((method) => `readonly ${method}: '${requires}';`);
      });
    return `readonly ${nounName(noun.name)}: {${methods.join('\n')}};`;
  });
  const doc = `Requirement of each operation that ${verb} (contract 2.6), by noun and method.`;
  return `/** ${doc} */\nexport type ${name} = {\n${members.join('\n')}\n};\n`;
};
