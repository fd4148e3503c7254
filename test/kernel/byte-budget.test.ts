import { expect } from 'chai';
import { openByteBudget, type ByteBudget, type QuotaOwner } from '../../kernel/byte-budget.js';

const mebibyte = 1_048_576;

describe('byte budget', () => {
  let budget: ByteBudget;
  beforeEach(() => {
    budget = openByteBudget(128 * mebibyte, (why) => {
      throw new Error(why);
    });
  });
  const key = (name: string, person: string | null = 'maker'): QuotaOwner => ({ name, person });
  const takes = (owner: QuotaOwner, bytes: number): boolean => {
    try {
      budget.open(owner).reserve(bytes);
      return true;
    } catch {
      return false;
    }
  };
  /** Number of consecutive takes of so many bytes that fit. */
  const fills = (owner: QuotaOwner, bytes: number): number => {
    let times = 0;
    while (times < 10_000 && takes(owner, bytes)) times += 1;
    return times;
  };

  it('grants a small reservation to a key while another key of its person fills the budget', () => {
    expect(fills(key('filler'), mebibyte)).to.equal(64);
    expect(takes(key('filler'), 1_000)).to.equal(false);
    expect(takes(key('innocent'), 1_000)).to.equal(true);
    expect(takes(key('innocent'), 900_000)).to.equal(true);
    expect(takes(key('innocent'), mebibyte)).to.equal(false);
  });

  it('grants room to other people while all keys of one person fill the budget', () => {
    fills(key('filler'), mebibyte);
    for (let n = 0; n < 100; n += 1) fills(key(`large ${n}`), mebibyte);
    for (let n = 0; n < 1_000; n += 1) takes(key(`small ${n}`), 1_000);
    expect(takes(key('innocent', 'another'), 10 * mebibyte)).to.equal(true);
    expect(takes(key('innocent', 'another'), 1_000)).to.equal(true);
  });

  it('grants a single reservation of any size, and the next after its release', () => {
    const held = budget.open(key('alone'));
    held.reserve(200 * mebibyte);
    expect(takes(key('other', 'another'), 1)).to.equal(false);
    held.release();
    expect(takes(key('other', 'another'), 1)).to.equal(true);
  });

  it('grants little to an address without a credential once it holds a reservation', () => {
    expect(takes(key('somebody'), mebibyte)).to.equal(true);
    expect(fills(key('10.0.0.1', null), mebibyte)).to.equal(2);
    expect(takes(key('10.0.0.2', null), 1_000)).to.equal(true);
  });
});
