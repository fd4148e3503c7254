import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { coreLayers, importRules } from './support/import-rules.js';

// This page is STYLE.md, executable. Sources are read as text: the native compiler has no API to
// ask.
const root = process.cwd();
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = files.filter((path) => /\.tsx?$/.test(path));
/** The source that a path without an ending imports. */
const fileOf = (path: string): string =>
  sources.includes(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts`;
const folderOf = (path: string): string =>
  (path.includes('/') ? path.split('/', 1)[0] : path) ?? '';
/** A folder, or a room of the ledger, which has rules of its own. */
const roomOf = (path: string): string => /^ledger\/[^/]+(?=\/)/.exec(path)?.[0] ?? folderOf(path);

/** A way out of the sandbox is a line there: broken, each would be read as several. */
const anyLength = 'test/sandbox/escape-attempts.ts';

/** The moment from which commit subjects are checked; a shallow clone shows the latest ones. */
const subjectsSince = '2026-11-26T09:31:00Z';
const subjectForm = /^(?=.{1,72}$)[a-z0-9]+(-[a-z0-9]+)*: .*[^.]$/;

/** Words that say nothing about what a file is for, and what to write instead. */
const banned: Readonly<Record<string, string>> = {
  utils: 'the noun it serves',
  helpers: 'the noun it serves',
  common: 'kernel',
  shared: 'kernel',
  manager: 'the verb it does',
  processor: 'the verb it does',
};

const importsOf = (path: string): readonly string[] =>
  [...read(path).matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map((match) => match[1] ?? '');

/**
 * Published code has a world of its own: it touches it itself, imports nothing of the service, and
 * may have a class that its users make.
 */
const published = 'clients/typescript/src/';
/** Published files that may use Node: the rest runs on pages too. */
const nodeOnly = [`${published}node.ts`, `${published}exit.ts`];

const allowed = (path: string, target: string): boolean => {
  const own = roomOf(path);
  if (path.startsWith(published)) {
    return target.startsWith('.')
      ? normalize(join(dirname(path), target)).startsWith(published)
      : target.startsWith('node:') && nodeOnly.includes(path);
  }
  const rule = importRules[own];
  if (rule === undefined) return true;
  if (!target.startsWith('.')) {
    const shapesOnly = own !== 'kernel' || path === 'kernel/schema-types.ts';
    return shapesOnly && rule.packages !== null && rule.packages.test(target);
  }
  const resolved = normalize(join(dirname(path), target));
  return [own, ...rule.folders].some(
    (folder) => resolved.startsWith(`${folder}/`) || resolved === `${folder}.js`,
  );
};

const slicesApart = (path: string, target: string): boolean => {
  const own = folderOf(path);
  if (own !== 'command-api' || !target.startsWith('.')) return true;
  const resolved = normalize(join(dirname(path), target)).split('/');
  const slice = path.split('/')[1] ?? '';
  const [room, asked = ''] = resolved;
  const open = openTo[slice] ?? Object.keys(openTo);
  return room !== own || resolved.length < 3 || asked === slice || open.includes(asked);
};
/** Rooms of command-api that every slice may enter, and which of them each may itself. */
const openTo: Readonly<Record<string, readonly string[]>> = {
  facts: [],
  access: ['facts'],
  work: ['facts'],
};

const found = (complaints: readonly string[]): void => {
  expect(complaints, complaints.join('\n')).to.deep.equal([]);
};

describe('the house', () => {
  it('imports only what STYLE.md, Imports, allows', () => {
    found(
      sources.flatMap((path) =>
        importsOf(path)
          .filter((target) => !allowed(path, target))
          .map(
            (target) =>
              `${path} imports ${target}: ` +
              (importRules[roomOf(path)]?.instead ?? 'a client stands alone') +
              ' (STYLE.md, Imports)',
          ),
      ),
    );
  });

  it('has no circle of imports: each file can be read after those it imports', () => {
    const importsOf = new Map(
      sources.map((path) => [
        path,
        [...read(path).matchAll(/from '(\.[^']+)\.js'/g)].map(([, to = '']) =>
          fileOf(normalize(join(dirname(path), to))),
        ),
      ]),
    );
    // A file is read once all that it imports is; what is left then hangs on a circle.
    for (;;) {
      const next = [...importsOf].find(([, tos]) => tos.every((to) => !importsOf.has(to)));
      if (next === undefined) break;
      importsOf.delete(next[0]);
    }
    found([...importsOf.keys()].map((path) => `${path} is in a circle of imports, or on one`));
  });

  it('enters the ledger by its door: the files at its top, and the chain', () => {
    found(
      sources
        .filter((path) => !/^(ledger|bench|test)\//.test(path))
        .flatMap((path) =>
          importsOf(path)
            .map((target) => normalize(join(dirname(path), target)))
            .filter((target) => /^ledger\/(?!chain\/)[^/]+\//.test(target))
            .map((target) => `${path} imports ${target}: what it needs belongs to the door`),
        ),
    );
  });

  it('names formats of audit events in the ledger, its contract and descriptors alone', () => {
    const layers = ['kernel', 'command-api', 'projections', 'query-api', 'engines'];
    found(
      sources
        .filter((path) => [...layers, 'service', 'cli'].includes(folderOf(path)))
        .filter((path) => /ocsf|cloud_?events?/i.test(read(path)))
        .map((path) => `${path} names OCSF or CloudEvents`),
    );
  });

  it('keeps the slices of command-api apart', () => {
    found(
      sources
        .filter((path) => !path.endsWith('/all.ts'))
        .flatMap((path) =>
          importsOf(path)
            .filter((target) => !slicesApart(path, target))
            .map(
              (target) =>
                `${path} imports ${target}: slices meet in the log, or in command-api/facts`,
            ),
        ),
    );
  });

  it('has an engine of HTTP that knows no route and no noun', () => {
    found(
      sources
        .filter((path) => path.startsWith('engines/koa/'))
        .filter((path) => /\/v2|\b(?!request_id)[a-z]+_id\b/.test(read(path)))
        .map((path) => `${path} names what belongs in the contract`),
    );
  });

  it('names files for what they are for', () => {
    found(
      files.flatMap((path) =>
        Object.entries(banned)
          .filter(([word]) => path.split(/[/.-]/).includes(word))
          .map(([word, instead]) => `${path}: not ${word} but ${instead}`),
      ),
    );
  });

  it('gives each exported type one meaning: its name is exported by one file', () => {
    const homes = new Map<string, string[]>();
    for (const path of sources.filter((one) => !/^(test|bench)\//.test(one))) {
      for (const [, name = ''] of read(path).matchAll(/^export (?:type|interface) (\w+)/gm)) {
        const world = path.startsWith(published) ? 'the client' : folderOf(path);
        const key = ['the client', 'console'].includes(world) ? `${name} of ${world}` : name;
        homes.set(key, [...(homes.get(key) ?? []), path]);
      }
    }
    found(
      [...homes]
        .filter(([, paths]) => paths.length > 1)
        .map(([name, paths]) => `${name} means two things: ${paths.join(', ')}`),
    );
  });

  it('touches the world in one place', () => {
    const homes =
      /^(((console\/)?engines|test|bench|cli|tools|service|clients|examples)\/|(config|main)\.ts)/;
    found(
      sources
        .filter((path) => !homes.test(path))
        .filter((path) =>
          /\b(Date\.now|Math\.random|process\.env|setTimeout|setInterval)\b/.test(read(path)),
        )
        .map((path) => `${path}: take Clock, Ids or another port instead`),
    );
    found(
      sources
        .filter((path) => /process\.env/.test(read(path)))
        .filter((path) => !/^(main\.ts|test\/|examples\/)/.test(path) && !nodeOnly.includes(path))
        .map((path) => `${path}: the environment is read by main.ts through config.ts`),
    );
  });

  it('has one class, Fault, and no default exports', () => {
    found(
      sources
        // Those of the harness are Python.
        .filter((path) => path !== 'kernel/fault.ts' && !/^engines.sandbox.harness/.test(path))
        // An example may extend what the framework that it shows wants extended.
        .filter((path) => !path.startsWith(published) && !path.startsWith('examples/'))
        .filter(
          (path) =>
            /^(export )?(abstract )?class /m.test(read(path)) ||
            /^export default/m.test(read(path)),
        )
        .map((path) => `${path}: a closure or a value instead; named exports`),
    );
  });

  it('has one way into the log, and one message for a lost race', () => {
    // The second hands on what the first appends.
    const ways = ['kernel/transact.ts', 'kernel/backpressured-log.ts'];
    found(
      sources
        .filter((path) => /^(kernel|command-api)\//.test(path) && !ways.includes(path))
        .filter((path) => /\.append\(/.test(read(path)))
        .map((path) => `${path}: transact, transactAll or append of kernel/transact.ts`),
    );
    found(
      sources
        .filter((path) => !path.startsWith('test/') && path !== 'kernel/transact.ts')
        .filter((path) => /Too many concurrent changes to/.test(read(path)))
        .map((path) => `${path}: conflictFault() of kernel/transact.ts`),
    );
  });

  it('builds regular expressions from the source only', () => {
    found(
      sources
        .filter((path) => !/^(test|clients\/typescript\/generate)\//.test(path))
        .filter((path) => /new RegExp\(/.test(read(path)))
        // Characters of the source, and patterns of our own schemas.
        .filter(
          (path) =>
            ![
              'kernel/case-fold.ts',
              'engines/ajv/complaints.ts',
              'engines/duckdb/model.ts',
            ].includes(path),
        )
        .map((path) => `${path}: user text is never a pattern`),
    );
  });

  it('writes lines of at most 100 columns and files of at most 420 lines', () => {
    found(
      sources.flatMap((path) => {
        const lines = read(path).split('\n');
        const long = path === anyLength ? -1 : lines.findIndex((line) => line.length > 100);
        return [
          ...(long >= 0 ? [`${path}:${long + 1} is longer than 100 columns`] : []),
          ...(lines.length > 420 ? [`${path} has ${lines.length} lines: is it one idea?`] : []),
        ];
      }),
    );
  });

  it('leaves no marker behind and one title per page', () => {
    const marker = new RegExp(['TO', 'DO|FIX', 'ME|X', 'XX'].join(''));
    found(
      sources
        .filter((path) => marker.test(read(path)))
        .map((path) => `${path}: do it now or write a decision`),
    );
    found(
      files
        .filter((path) => path.endsWith('.md'))
        .filter(
          (path) =>
            (
              read(path)
                .replace(/```[\s\S]*?```/g, '')
                .match(/^# /gm) ?? []
            ).length !== 1,
        )
        .map((path) => `${path}: one # title`),
    );
  });

  it('has a number of its own, a title, four fields and at most 60 lines in each decision', () => {
    const pages = files.filter((path) => /^docs\/decisions\/\d/.test(path));
    const numbers = pages.map((path) => path.slice('docs/decisions/'.length).slice(0, 3));
    expect(numbers).to.deep.equal([...new Set(numbers)]);
    found(
      pages
        .filter((path, at) => {
          const title = /^# D-(\d{3}) .+ \(\d{4}-\d\d-\d\d\)\n/.exec(read(path));
          return title?.[1] !== numbers[at];
        })
        .map((path) => `${path}: begin with "# D-", the number of the file, title and (date)`),
    );
    const fields = ['Context', 'Decision', 'Price', 'Look again'];
    found(
      pages
        .filter((path) => {
          const page = read(path);
          const said = [...page.matchAll(/^\*\*([A-Z][a-z ]+)\.\*\* /gm)].map(([, name]) => name);
          // A merge of two writers leaves its remains behind the last field.
          const last = page.split('**Look again.** ')[1]?.trim() ?? '';
          const isLong = page.split('\n').length > 61;
          return said.join() !== fields.join() || /\n\n/.test(last) || last.length > 400 || isLong;
        })
        .map((path) => `${path}: ${fields.map((one) => `**${one}.**`).join(' ')}`),
    );
  });

  it('imports every file from somewhere', () => {
    const reached = new Set(
      sources.flatMap((path) =>
        importsOf(path)
          .filter((target) => target.startsWith('.'))
          .map((target) => fileOf(normalize(join(dirname(path), target)).replace(/\.js$/, ''))),
      ),
    );
    const entries = [
      /^(entry|bundle|config|test\/run|test\/console\/take-pictures)\.ts$|\.test\.ts$/,
      /^console\/main\.tsx$/,
      /^(bench|test\/(support|senders|chaos|fault))\//,
      /worker\.ts$|writer\.ts$|\/golden\/add\.ts$/,
      /^clients\/typescript\/(src\/(node|browser)|generate\/main)\.ts$|^examples\//,
    ];
    found(
      sources
        .filter((path) => !reached.has(path) && !entries.some((entry) => entry.test(path)))
        .map((path) => `${path} is imported by nobody`),
    );
  });

  it('reads JSON in one place, which knows what V8 gets wrong', () => {
    const layers = [...coreLayers, 'config', 'named-queries', 'ledger', 'service', 'tools', 'cli'];
    found(
      sources
        .filter((path) => layers.includes(folderOf(path)) && path !== 'kernel/json-text.ts')
        .filter((path) => /\bJSON\.parse\(|\bJSON\.parse\b(?=[,)])/.test(read(path)))
        .map((path) => `${path} has JSON.parse: parseJsonText of kernel/json-text.ts`),
    );
  });

  it('has commit subjects of a scope and a summary (skipped without a history)', function () {
    const args = ['log', '--no-merges', '--format=%s', `--since=${subjectsSince}`];
    const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
    if (status !== 0) this.skip();
    const bad = stdout.split('\n').filter((line) => line !== '' && !subjectForm.test(line));
    found(bad.map((line) => `"${line}" is not "scope: summary" within 72 characters`));
  });

  it('exports what another file uses, and nothing else', () => {
    // A client has what its users import; mocha looks for its hooks by name.
    const ours = sources.filter((path) => !['clients', 'examples'].includes(folderOf(path)));
    const files = new Map<string, number>();
    const wordsOf = (path: string) => new Set(read(path).match(/[A-Za-z_]\w*/g));
    for (const path of sources) {
      for (const word of wordsOf(path)) files.set(word, (files.get(word) ?? 0) + 1);
    }
    const exported = /^export (?:const|type|class|let|(?:async )?function\*?) (\w+)/gm;
    found(
      ours.flatMap((path) =>
        [...read(path).matchAll(exported)]
          .map(([, name = '']) => name)
          .filter((name) => files.get(name) === 1 && !/^mocha[A-Z]/.test(name))
          .map((name) => `${path} exports ${name}, which nothing imports`),
      ),
    );
  });
});
