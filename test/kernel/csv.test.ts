import { expect } from 'chai';
import { encodeCsvRow, escapeFormula } from '../../kernel/csv.js';

describe('a row of CSV', () => {
  it('quotes as RFC 4180, and writes other values than text as JSON', () => {
    const cells = ['plain', 'a,b', 'say "hi"', 'two\nlines', '', null, undefined, 0.5, true];
    const objects = [{ a: 'x,"' }, ['t']];
    expect(encodeCsvRow([...cells, ...objects], true)).to.equal(
      'plain,"a,b","say ""hi""","two\nlines",,,,0.5,true,"{""a"":""x,\\""""}","[""t""]"\r\n',
    );
    expect(encodeCsvRow([-5], true)).to.equal('-5\r\n');
  });

  it('escapes texts that a spreadsheet would run, and not plain numbers', () => {
    const run = ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', "'=1", "''@x"];
    for (const text of run) expect(escapeFormula(text)).to.equal(`'${text}`);
    const harmless = ['', 'a=1', "'", "'a", '-5', '+1.5e-3', '-.5', '1-2', "'-5", ' =1'];
    for (const text of harmless) expect(escapeFormula(text)).to.equal(text);
    expect(encodeCsvRow(['=1,2'], true)).to.equal('"\'=1,2"\r\n');
    expect(encodeCsvRow(['=1'], false)).to.equal('=1\r\n');
  });

  it('can be unescaped', () => {
    const unescaped = (text: string): string =>
      text.startsWith("'") && escapeFormula(text.slice(1)) !== text.slice(1) ? text.slice(1) : text;
    for (const text of ['=1', "'=1", "''=1", '-5', "'-5", "''-5", "'", 'x', "'x", '-x', "'-x"]) {
      expect(unescaped(escapeFormula(text)), text).to.equal(text);
    }
  });
});
