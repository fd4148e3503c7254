import { readFile, writeFile } from 'node:fs/promises';
import { components, operations } from '../contract/all.js';
import { nouns } from '../contract/nouns.js';
import { openApiDocument } from '../contract/openapi.js';

/** The document served at `/v2/openapi.json`, indented, in a stable order. */
export const openApiText = (): string =>
  `${JSON.stringify(openApiDocument({ operations, components, nouns }), null, 2)}\n`;

/** The rows of contract 6 that are served, as the table of docs/operations.md. */
const operationTable = (): string =>
  [
    '| method | path | contract | schemes | requires | unknown members | does |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...operations.map(
      ({ method, path, section, schemes, requires, unknownMembers, summary }) =>
        `| ${method} | \`${path}\` | ${section} | ${schemes.join(' ') || '–'} ` +
        `| \`${requires}\` | ${unknownMembers} | ${summary} |`,
    ),
  ].join('\n');

const [opening, closing] = [
  '<!-- operations: written by npm run generate -->',
  '<!-- /operations -->',
];

/** The page with the current table between its marks. */
export const withOperations = (page: string): string => {
  const [before = '', rest = ''] = page.split(opening);
  const [, after = ''] = rest.split(closing);
  return `${before}${opening}\n\n${operationTable()}\n\n${closing}${after}`;
};

type Targets = { readonly write?: string; readonly table?: string };

/** `assay openapi`: to the terminal, or into the files named. */
export const openapi = async ({ write, table }: Targets): Promise<void> => {
  if (write === undefined && table === undefined) process.stdout.write(openApiText());
  if (write !== undefined) await writeFile(write, openApiText());
  if (table !== undefined) {
    await writeFile(table, withOperations(await readFile(table, 'utf8')));
  }
};
