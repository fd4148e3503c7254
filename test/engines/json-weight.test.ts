import { expect } from 'chai';
import { openWeighing } from '../../engines/koa/json-weight.js';

const weightOf = (text: string, pieceBytes = 1_000_000) => {
  const weigh = openWeighing();
  const bytes = Buffer.from(text);
  let weight = weigh(Buffer.alloc(0));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    weight = weigh(bytes.subarray(at, at + pieceBytes));
  }
  return weight;
};

describe('the weight of a JSON text', () => {
  it('counts members, items, objects and lists, and names once', () => {
    expect(weightOf('"a:b,c"')).to.deep.equal({ values: 0, names: 0 });
    expect(weightOf('{"a":1,"b" : [1,2],"c":{"a":{}}}')).to.deep.equal({ values: 7, names: 3 });
  });
  it('is not mistaken about texts that look like more of it', () => {
    const text = String.raw`{"a":"\",\"b\":{[,","c\\":"x","c\":":1}`;
    expect(weightOf(text)).to.deep.equal({ values: 3, names: 3 });
  });
  it('is the same in whatever pieces the text comes', () => {
    const text = String.raw`[{"é\"":1,"long name":{"é\"":[]}},{"\u0061":"\\"}]`;
    for (let size = 1; size < 12; size += 1) {
      expect(weightOf(text, size), `${size}`).to.deep.equal(weightOf(text));
    }
  });
  it('tells 25,000 names apart but for a few, long ones and short ones', () => {
    for (const before of ['', 'n'.repeat(200)]) {
      const names = Array.from({ length: 25_000 }, (_, n) => [`${before}${n}`, n] as const);
      const { names: found } = weightOf(JSON.stringify(Object.fromEntries(names)));
      expect(found).to.be.within(24_300, 25_000);
    }
  });
});
