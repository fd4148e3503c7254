import { expect } from 'chai';
import * as fc from 'fast-check';
import { jsonErrorIndex } from '../../engines/csv/json-error.js';
import { parseTable, type TableFormat } from '../../engines/csv/parse-table.js';
import { Fault } from '../../kernel/fault.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const read = (text: string, format: TableFormat) =>
  parseTable({ bytes: Buffer.from(text), fileName: 'x' }, format);
/** Message for a refused file. */
const refused = async (text: string, format: TableFormat): Promise<string> => {
  const error: unknown = await read(text, format).then(
    () => new Error('it was read'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Fault)) throw error;
  return error.complaints.map(({ msg }) => msg.replace('Value error, ', '')).join();
};

describe('uploaded tables', () => {
  it('reports the line in which a bad row begins, for any line ending', async () => {
    const tooLong = 'has 3 cells, but there are 2 columns';
    const unmatched = 'is not CSV: its quotes do not match';
    for (const [lines, sentence] of [
      [['a,b', '"x', 'y",2', '1,2,3', ''], `line 4 ${tooLong}`],
      [['a,b', '"x', '', '""y",2', '', '', '1,2,3'], `line 7 ${tooLong}`],
      [['a,b', '1,"x', 'y",3', '1,2,3'], `line 2 ${tooLong}`],
      [['', 'a,b', '1,2,3'], `line 3 ${tooLong}`],
      [['"a', '",b', '"x', 'y",2"', ''], `line 3 ${unmatched}`],
      [['a,b', '"x', 'y",2', '1,2"', ''], `line 4 ${unmatched}`],
      [['a,b', '"x', 'y",2', '1,"2', '3,4', '5,6', ''], `line 4 ${unmatched}`],
      [['a,b', '"x', 'y"z,2', ''], `line 2 ${unmatched}`],
      [['', '"a', '",""', '1,2'], 'line 2 has a column without a name'],
    ] as const) {
      for (const end of ['\n', '\r\n', '\r']) {
        const text = lines.join(end);
        expect(await refused(text, 'csv'), JSON.stringify(text)).to.equal(sentence);
      }
    }
    const wide = (end: string) => `a,b${end}"x${end}y",2${end}${','.repeat(600)}`;
    for (const end of ['\n', '\r\n', '\r']) {
      expect(await refused(wide(end), 'csv')).to.match(/^line 4 has more cells than the 500/);
    }
  });

  it('accepts semicolons and tabs as delimiters', async () => {
    const table = async (text: string) => {
      const { columns, rows } = await read(text, 'csv');
      return [columns, ...rows];
    };
    for (const delimiter of [';', '\t']) {
      const file = (...lines: readonly string[][]) =>
        lines.map((cells) => cells.join(delimiter)).join('\r\n');
      expect(await table(file(['a', 'b'], ['1,5', `"x${delimiter}y"`], ['2', '']))).to.deep.equal([
        ['a', 'b'],
        ['1,5', `x${delimiter}y`],
        ['2', ''],
      ]);
      expect(await table(file(['"a,b"', 'c'])), 'a header alone').to.deep.equal([['a,b', 'c']]);
      expect(await table(`a${delimiter}b,c\n1,2`)).to.deep.equal([
        [`a${delimiter}b`, 'c'],
        ['1', '2'],
      ]);
      expect(await table(`a${delimiter}b\n1`), 'one column').to.deep.equal([
        [`a${delimiter}b`],
        ['1'],
      ]);
      expect(await refused(`a${delimiter}b\n${delimiter.repeat(600)}`, 'csv')).to.match(
        /^line 2 has more cells than the 500/,
      );
    }
  });

  it('accepts a lone carriage return as line ending', async () => {
    const { rows } = await read(`a,b\r${'1,2\r'.repeat(1_000)}`, 'csv');
    expect(rows).to.have.length(1_000);
  });

  it('reports the line of a JSON syntax error', async () => {
    for (const [text, line] of [
      ['[\n {"a":1},\n {"a":},\n {"b":1}\n]', 3],
      ['[\n {"a":1},\n {"a":1,},\n {"b":1}\n]', 3],
      ['[\n {"a":1}\n {"a":1},\n {"b":1}\n]', 3],
      ['[\r\n {"a":"\\u12"},\r\n {"b":1}\r\n]', 2],
      ['[\n {"a":"x\ny"},\n {"b":1}\n]', 2],
      ['[\n {"a":01},\n {"b":1}\n]', 2],
      ['[\n {"a":nul},\n {"b":1}\n]', 2],
      ['[{"a":1}]\n\n]\n\n', 3],
      ['[{"a":1},\n{"b":1}\n\n', 2],
      ['[{"a":1},\n{"b":"', 2],
    ] as const) {
      expect(await refused(text, 'json'), text).to.equal(`line ${line} is not JSON`);
    }
  });
});

describe('jsonErrorIndex', () => {
  const tokens =
    '{ } [ ] , : "a" " \\ \\u00e9 true false null nul - 0 12 . 5 e E+ -1.5e3 é \u0001 \n \t';
  const soup = fc
    .array(fc.constantFrom(' ', ...tokens.split(' ')), { maxLength: 8 })
    .map((some) => some.join(''));
  const damaged = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), soup, fc.nat(3))
    .map(([text, place, more, less]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + more + text.slice(at + less);
    });

  it('is null exactly for valid JSON, else agrees with the parser', () => {
    const seed = drawSeed();
    let placed = 0;
    fc.assert(
      fc.property(fc.oneof(soup, damaged, fc.json()), (text) => {
        let message: string | null = null;
        try {
          JSON.parse(text);
        } catch (error) {
          message = String(error);
        }
        const at = jsonErrorIndex(text);
        expect(at === null, message ?? 'it is read').to.equal(message === null);
        const told = /position (\d+)/.exec(message ?? '')?.[1];
        if (told !== undefined) expect(at, message ?? '').to.equal(Number(told));
        const token = /token '(.+?)', /su.exec(message ?? '')?.[1];
        if (token !== undefined) expect(text.slice(at ?? 0).startsWith(token)).to.equal(true);
        if (message?.includes('end of JSON') === true) expect(at).to.equal(text.length);
        placed += told === undefined ? 0 : 1;
      }),
      { seed, numRuns: runs(1_000) },
    );
    expect(placed).to.be.greaterThan(50);
  });
});
