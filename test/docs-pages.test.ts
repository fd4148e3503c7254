import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { repository } from './support/test-environment.js';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: repository,
  encoding: 'utf8',
}).split('\n');
/** A page without its blocks of code. */
const prose = (path: string): string => read(path).replace(/^```[\s\S]*?^```/gm, '');
/** Sections of that heading level. */
const parts = (text: string, level: string): readonly (readonly [string, string])[] =>
  text
    .split(new RegExp(`^${level} `, 'm'))
    .slice(1)
    .map((part) => [part.split('\n', 1)[0] ?? '', part] as const);

describe('the pages', () => {
  it('link to files that exist', () => {
    const broken = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...prose(path).matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
          .map(([, target = '']) => join(dirname(path), target))
          .filter((target) => !existsSync(join(repository, target)))
          .map((target) => `${path} links to ${target}`),
      );
    expect(broken).to.deep.equal([]);
  });

  it('exist when cited: pages, sections of the contract, decisions', () => {
    const sections = new Set(
      [...read('docs/contract.md').matchAll(/^##+ (\d+(?:\.\d+)?)/gm)].map(([, one]) => one),
    );
    const decisions = new Set(
      files.map((path) => `D-${/^docs\/decisions\/(\d{3})-/.exec(path)?.[1]}`),
    );
    const names = new Set(files.map((path) => path.split('/').pop()));
    const others = files
      .filter((path) => /\.(ts|yml)$/.test(path))
      .flatMap((path) => {
        const text = read(path);
        const cited = [...text.matchAll(/\b[Cc]ontract (\d+(?:\.\d+)?)/g)].map(([, one]) => one);
        return [
          ...cited.filter((one) => !sections.has(one)).map((one) => `${path}: contract ${one}`),
          ...(text.match(/\bD-\d{3}\b/g) ?? []).filter((one) => !decisions.has(one)),
          ...[...text.matchAll(/\b([\w-]+\.md)\b/g)]
            .filter(([, name = '']) => !names.has(name))
            .map(([name]) => `${path}: ${name}`),
          ...(text.match(/\btarget [A-Z]\d+\b/g) ?? []).map((one) => `${path}: ${one}`),
        ];
      });
    expect(others).to.deep.equal([]);
  });

  it('leave no files in a clone after the README was followed', () => {
    const blocks = [...read('README.md').matchAll(/^```sh\n([\s\S]*?)^```/gm)];
    const written = blocks.flatMap(
      ([, block = '']) => block.match(/(?<!\d)>\s*(?!\/)[\w.-]+/g) ?? [],
    );
    expect(blocks.length).to.be.greaterThan(4);
    expect(written).to.deep.equal([]);
  });

  it('introduce each source folder: what it holds, what it may import, where to start', () => {
    const folders = new Set(
      files.filter((path) => path.endsWith('.ts')).map((path) => path.split('/')[0] ?? ''),
    );
    const others = [...folders, 'deploy', 'docs', 'verifier']
      .filter((folder) => !folder.endsWith('.ts'))
      .map((folder) => `${folder}/README.md`)
      .filter((path) => {
        const page = existsSync(join(repository, path)) ? read(path) : '';
        return !['Holds', 'May import', 'Start with'].every((word) =>
          page.includes(`- **${word}**: `),
        );
      });
    expect(others).to.deep.equal([]);
  });

  it('say of each dependency what it is for (D-001)', () => {
    const { dependencies } = JSON.parse(read('package.json')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const table = read('docs/decisions/001-dependencies-and-why-each-is-there.md');
    const named = [...table.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(Object.keys(dependencies).filter((name) => !named.includes(name))).to.deep.equal([]);
  });

  describe('docs/architecture.md', () => {
    const page = prose('docs/architecture.md');
    const quoted = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

    it('names files and folders that exist', () => {
      const paths = quoted.filter((text) => /^[\w.-]+(\/[\w.-]*)+$|^[\w-]+\.(ts|md)$/.test(text));
      const known = files.flatMap((path) => [path, path.split('/').pop()]);
      const others = paths.filter(
        (path) =>
          !known.includes(path) &&
          !files.some((file) => file.startsWith(`${path}/`.replace('//', '/'))),
      );
      expect(paths.length).to.be.greaterThan(30);
      expect(others).to.deep.equal([]);
    });

    it('starts with one small noun, whole: twelve files that exist', () => {
      const [, order = ''] =
        parts(page, '##').find(([title]) => title === 'Where to start reading') ?? [];
      const paths = [...order.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path);
      expect(new Set(paths).size).to.equal(12);
      expect(paths.length).to.equal(12);
      expect(paths.filter((path = '') => !files.includes(path))).to.deep.equal([]);
      expect(paths[0]).to.equal('kernel/decision.ts');
      for (const [at, layer] of ['events', 'contract', 'command-api', 'command-api'].entries()) {
        expect(paths[at + 1]).to.match(new RegExp(`^${layer}/price-list`));
      }
      expect(paths.slice(5, 7)).to.deep.equal([
        'projections/price-list.ts',
        'query-api/price-list/routes.ts',
      ]);
    });

    it('explains words whose names are declared in code, in order', () => {
      const sources = files.filter((path) => path.endsWith('.ts') && !path.startsWith('test/'));
      const declared = new Set(
        sources.flatMap((path) =>
          [
            ...read(path).matchAll(
              /^(?:export )?(?:const|type|interface|class|async function|function) (\w+)/gm,
            ),
          ].map(([, name]) => name),
        ),
      );
      const [, words = ''] = parts(page, '##').find(([title]) => title === 'Words') ?? [];
      const rows = words
        .split('\n')
        .filter((line) => /^\| [a-z]/.test(line))
        .slice(1);
      const terms = rows.map((row) => row.split('|')[1]?.trim() ?? '');
      const names = rows.flatMap((row) =>
        [...(row.split('|')[4] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
      );
      expect(terms).to.deep.equal([...terms].sort());
      expect(terms.length).to.be.within(25, 35);
      expect(names.filter((name) => !declared.has(name))).to.deep.equal([]);
      const others = quoted.filter(
        (text) => /^[A-Z][a-z]+[A-Za-z]*$/.test(text) && !declared.has(text),
      );
      expect(others).to.deep.equal([]);
    });
  });

  describe('docs/scale.md', () => {
    const [one = '', several = ''] = parts(prose('docs/scale.md'), '##').map(([, text]) => text);
    const rowsOf = (text: string): readonly (readonly string[])[] =>
      [...text.matchAll(/^\| (?!what|---)(.+) \|$/gm)]
        .map(([, cells = '']) => cells.split(' | '))
        .filter((cells) => cells.length === 4);

    it('has one figure a row, and the raw results of each', () => {
      const figure = /^(?:at most )?[\d,.]+(?: \w+)?(?:\/s)?$/;
      const rows = [...rowsOf(one), ...rowsOf(several)];
      expect(rows.length).to.be.greaterThan(35);
      expect(rows.filter(([, value = '']) => !figure.test(value))).to.deep.equal([]);
      const linked = /^\[\d+, (?:to )?\d{4}-\d\d-\d\d\]\(measurements\/[\w-]+\.md\)$/;
      expect(rowsOf(one).filter((cells) => !linked.test(cells[3] ?? ''))).to.deep.equal([]);
    });

    it('is based on measurements that their index lists', () => {
      const pages = files
        .filter((path) => /^docs\/measurements\/\d/.test(path))
        .map((path) => path.slice(18));
      const index = [...read('docs/measurements/README.md').matchAll(/\]\((\d[\w-]+\.md)\)/g)];
      expect(index.map(([, name]) => name)).to.have.members(pages);
    });
  });

  describe('docs/runbook', () => {
    const pages = files.filter(
      (path) => /^docs\/runbook\/[\w-]+\.md$/.test(path) && !path.endsWith('/README.md'),
    );

    it('has on each page what not to do, what to do, and how to see that it worked', () => {
      const order = /\*\*Do not\*\*[\s\S]*\*\*Do\*\*[\s\S]*\*\*It worked\*\*/;
      expect(pages.length).to.be.greaterThan(50);
      expect(pages.filter((path) => !order.test(prose(path)))).to.deep.equal([]);
    });

    it('links each page from its index once, or in the table of alerts and once', () => {
      const [alerts = '', symptoms = ''] = prose('docs/runbook/README.md').split('## Symptoms');
      const linked = [...symptoms.matchAll(/^- \[(.+)\]\(([\w-]+\.md)\)$/gm)];
      const titles = pages.map((path) => `${/^# (.+)$/m.exec(read(path))?.[1]}: ${path.slice(13)}`);
      expect(linked.map(([, title, name]) => `${title}: ${name}`)).to.have.members(titles);
      const rows = [...alerts.matchAll(/^\| `(\w+)` .*\]\(([\w-]+\.md)\) \|$/gm)];
      const named = pages.flatMap((path) =>
        [...read(path).matchAll(/^Alert `(\w+)`/gm)].map(
          ([, alert]) => `${alert}: ${path.slice(13)}`,
        ),
      );
      expect(rows.map(([, alert, name]) => `${alert}: ${name}`)).to.have.members(named);
    });
  });
});
