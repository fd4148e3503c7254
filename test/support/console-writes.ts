import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { methodName, nounName } from '../../clients/typescript/generate/names.js';
import { operations } from '../../contract/all.js';
import { nouns } from '../../contract/nouns.js';
import type { Operation } from '../../contract/operation.js';
import { repository } from './test-environment.js';

/** Writes of the contract by the name of their method in the client: `traces.log`. */
const writesByMethod: ReadonlyMap<string, Operation> = new Map(
  nouns.flatMap(({ name, operations: own }) =>
    own.flatMap(({ operationId }) => {
      const write = operations.find((one) => one.operationId === operationId && one.kind === 'w');
      return write === undefined
        ? []
        : [[`${nounName(name)}.${methodName(name, operationId)}`, write] as const];
    }),
  ),
);

/** Nouns that `operations[kind]` of the explorer stands for. */
const recordNouns = ['traces', 'spans', 'sessions'] as const;

/** Ids of the writes that the sources of the console call. */
export const consoleWrites = (): ReadonlySet<string> => {
  const folder = join(repository, 'console');
  const called = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\b(?:\.(\w+)|operations\[kind\])\s*\.(\w+)\(/g)])
    .flatMap(([, noun, method]) =>
      (noun === undefined ? recordNouns : [noun]).map((one) => `${one}.${String(method)}`),
    );
  return new Set(called.flatMap((name) => writesByMethod.get(name)?.operationId ?? []));
};

const pathPattern = ({ method, path }: Operation): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}`;

/** Writes with their patterns, the fewest parameters first: `/users/api_keys` is not a user. */
const byPath = [...writesByMethod.values()]
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  .map((operation) => ({ operation, pattern: new RegExp(`^${pathPattern(operation)}$`) }));

/** The write that a request is, by its method and path; null for a read. */
export const writeOf = (line: string): Operation | null =>
  byPath.find(({ pattern }) => pattern.test(line))?.operation ?? null;

/** Pattern of the requests of those writes that the filter names. */
export const requestsOf = (isMeant: (operation: Operation) => boolean): RegExp =>
  new RegExp(
    `^(?:${byPath
      .filter(({ operation }) => isMeant(operation))
      .map(({ operation }) => pathPattern(operation))
      .join('|')})$`,
  );
