import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Sources whose words STYLE.md, Names, rules; of tests only docstrings and titles. */
const allSources = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs', '*.py'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter((path) => path !== '' && !path.includes('/generated/'));
const sources = allSources.filter((path) => !path.startsWith('test/'));

/** Openings of a docstring that has no subject. */
const openings = /\/\*\*\s*\*?\s*((?:Of|What|Whose|Who|So many|Those)\b[^\n]*)/g;

/** Comments, which are passed over, and the literals between them. */
const literals = new RegExp(
  [
    /\/\/[^\n]*|\/\*.*?\*\//s,
    /(?<literal>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/s,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gs',
);

/** The literals of a source; one that is joined by `+` over several lines is one. */
const literalsOf = (text: string): readonly string[] =>
  [...text.replaceAll(/'\s*\+\s*'/g, '').matchAll(literals)].map(
    ({ groups }) => groups?.['literal'] ?? '',
  );

/** Negated nouns and people without a role; `no longer` and `no more than` are neither. */
const vague = new RegExp(
  [
    /\b(?:are|be|been|is|was|were) (?:no\b(?! longer\b| more than\b)|none\b)/,
    /\b(?:no one|nobody|somebody|someone|whoever)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);
const vagueReason =
  'a text says what is wrong or missing, the limit and what to do; name the thing or the role ' +
  '("must be a list", "the key is missing", "the caller") instead of ';

/** Titles of tests that complete a sentence of their describe instead of beginning with a verb. */
const fragments =
  /^ *it\(\s*['"`](?:and|as|at|by|for|from|in|of|on|so|that|to|under|when|where|with(?:out)?) .*/gm;

/** Participles, pronouns and adverbs that say nothing about what they name. */
const bareNames = new Set(
  (
    'added all any arrived aside asked bound changed coming counted cut due each folded found ' +
    'given gone heard held it kept known left listed made merged named none noted one opened ' +
    'other place put removed rest said seen sent shown some sorted taken timed told written'
  ).split(' '),
);

describe('words', () => {
  const found = (
    match: (path: string, text: string) => readonly string[],
    paths: readonly string[] = sources,
  ): void => {
    const all = paths.flatMap((path) => match(path, readFileSync(path, 'utf8')));
    expect(all, all.join('\n')).to.deep.equal([]);
  };

  it('open each docstring with its subject', () => {
    found(
      (path, text) => [...text.matchAll(openings)].map(([, line]) => `${path}: ${line}`),
      allSources,
    );
  });

  it('say in texts what is wrong, without negated nouns and people without a role', () => {
    found((path, text) =>
      literalsOf(text)
        .flatMap((literal) => literal.split('\n').filter((line) => vague.test(line)))
        .map((line) => `${path}: ${line}: ${vagueReason}"${vague.exec(line)?.[0]}"`),
    );
  });

  it('begin titles of tests with a verb', () => {
    const tests = allSources.filter((path) => path.startsWith('test/'));
    found((path, text) => [...text.matchAll(fragments)].map(([line]) => `${path}: ${line}`), tests);
  });

  it('name exports by nouns and verb phrases', () => {
    found((path, text) =>
      [...text.matchAll(/^export (?:const|type|interface|(?:async )?function) (\w+)/gm)]
        .filter(([, name = '']) => bareNames.has(name.toLowerCase()))
        .map(([, name]) => `${path}: ${name}`),
    );
  });
});
