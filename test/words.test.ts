import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Sources whose words STYLE.md, Names, rules. */
const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !path.includes('/generated/') && !path.startsWith('test/'));

/** Openings of a docstring that has no subject. */
const openings = /\/\*\*\s*\*?\s*((?:Of|What|Whose|Who|So many|Those)\b[^\n]*)/g;

/** Participles, pronouns and adverbs that say nothing about what they name. */
const bareNames = new Set(
  (
    'added all any arrived aside asked bound changed coming counted cut due each folded found ' +
    'given gone heard held it kept known left listed made merged named none noted one opened ' +
    'other place put removed rest said seen sent shown some sorted taken timed told written'
  ).split(' '),
);

describe('words', () => {
  const found = (match: (path: string, text: string) => readonly string[]): void => {
    const all = sources.flatMap((path) => match(path, readFileSync(path, 'utf8')));
    expect(all).to.deep.equal([]);
  };

  it('open each docstring with its subject', () => {
    found((path, text) => [...text.matchAll(openings)].map(([, line]) => `${path}: ${line}`));
  });

  it('name exports by nouns and verb phrases', () => {
    found((path, text) =>
      [...text.matchAll(/^export (?:const|type|interface|(?:async )?function) (\w+)/gm)]
        .filter(([, name = '']) => bareNames.has(name.toLowerCase()))
        .map(([, name]) => `${path}: ${name}`),
    );
  });
});
