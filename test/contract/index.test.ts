import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operations } from '../../contract/all.js';
import { repository } from '../support/test-environment.js';

const file = join(repository, 'docs', 'contract.md');

type Row = {
  readonly part: string;
  readonly schemes: string;
  readonly kind: string;
  readonly requires: string;
};

const [, section = ''] = readFileSync(file, 'utf8').split('\n## 6. ');

/** The rows of contract 6 by method and path. */
const index = (): ReadonlyMap<string, Row> => {
  const rows = section
    .split('\n')
    .filter((line) => /^\| (?:GET|POST|PUT|PATCH|DELETE) \|/.test(line));
  return new Map(
    rows.map((line) => {
      const [, method, path, part = '', schemes = '', kind = '', requires = ''] = line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''));
      return [`${method} ${path}`, { part, schemes: schemes.replace('–', ''), kind, requires }];
    }),
  );
};

/** The project whose role counts is that of the object. */
const lookedUp: Readonly<Record<string, string>> = {
  'scorer-task': 'viewer',
  'scorer-job': 'viewer',
};
/** The project whose role counts follows from body or headers: the route asks (4.11, 5.12). */
const askedByRoute: ReadonlySet<string> = new Set([
  '/v2/scorers/code/validate/dataset',
  '/v1/traces',
  '/v2/otel/v1/traces',
  '/v2/otel/traces',
]);

describe('the index of the contract', () => {
  it('names each served operation with its schemes, kind and requirement', () => {
    const rows = index();
    const others = operations.flatMap((operation) => {
      const { method, path, section: part, schemes, kind, requires, orSelf } = operation;
      const row = rows.get(`${method} ${path}`);
      const meant = orSelf && row?.requires === 'self' ? 'self' : (lookedUp[requires] ?? requires);
      const isKnown = requires === 'signed-in' && askedByRoute.has(path);
      const served = {
        part,
        schemes: schemes.join(' '),
        kind,
        requires: isKnown ? row?.requires : meant,
      };
      return JSON.stringify(row) === JSON.stringify(served) ? [] : [{ method, path, row, served }];
    });
    expect(others).to.deep.equal([]);
  });

  it('has only rows that are served, except in the sections and paths that it names', () => {
    const [, sentence = ''] = /Not served yet: the rows of ([^;]*);/.exec(section) ?? [];
    const paths = [...sentence.matchAll(/`(\/v2[^`]*)`/g)].map(([, path = '']) => path);
    const sections = sentence.replaceAll(/`[^`]*`/g, '').match(/\d+\.\d+/g) ?? [];
    const missing = new Set([...sections, ...paths]);
    const served = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const others = [...index()].filter(
      ([name, { part }]) =>
        !served.has(name) !== (missing.has(part) || missing.has(name.split(' ')[1] ?? '')),
    );
    expect(others).to.deep.equal([]);
  });
});
