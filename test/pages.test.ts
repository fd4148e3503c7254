import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { repository } from './support/outside.js';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: repository,
  encoding: 'utf8',
}).split('\n');
/** A page without its blocks of code. */
const prose = (path: string): string => read(path).replace(/^```[\s\S]*?^```/gm, '');
/** What stands under each heading of that level. */
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

  describe('RUNBOOK.md', () => {
    it('says of each symptom what not to do, what to do, and how to see that it worked', () => {
      const care = ['EventStoreDB', 'NATS', 'MongoDB'];
      const others = parts(prose('RUNBOOK.md'), '###')
        .filter(([title]) => !care.includes(title))
        .filter(
          ([, text]) => !/\*\*Do not\*\*[\s\S]*\*\*Do\*\*[\s\S]*\*\*It worked\*\*/.test(text),
        );
      expect(others.map(([title]) => title)).to.deep.equal([]);
    });
  });
});
