import { expect } from 'chai';
import { stream } from '../../kernel/ports.js';
import { claim, claimGraceSeconds, release, type Standing } from '../../kernel/reservation.js';
import { authorAt, testLog, type TestLog } from '../support/log.js';

const name = stream('reservation', 'project', 'x');

describe('a name that one may have', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  const take = (holder: string, other: Standing = 'may come', seconds = 0) =>
    claim(world.log, name, holder, async () => other, authorAt(seconds));
  const give = (holder: string) => release(world.log, name, holder, authorAt());
  const events = async () => (await world.eventsOf(name)).map(({ type }) => type);

  it('goes to who comes first', async () => {
    expect(await take('one')).to.equal(true);
    expect(await take('other')).to.equal(false);
  });

  it('may be claimed again by who has it, which changes nothing', async () => {
    await take('one');
    expect(await take('one')).to.equal(true);
    expect(await events()).to.deep.equal(['NameClaimed']);
  });

  it('goes to one of many who come at once', async () => {
    const holders = Array.from({ length: 16 }, (_, index) => `holder-${index}`);
    const taken = await Promise.all(holders.map((holder) => take(holder)));
    expect(taken.filter(Boolean)).to.have.length(1);
  });

  it('is free once it was given back', async () => {
    await take('one');
    await give('one');
    expect(await take('other')).to.equal(true);
  });

  it('is not given back by who does not have it', async () => {
    await take('one');
    await give('other');
    expect(await events()).to.deep.equal(['NameClaimed']);
  });

  it('stays taken for ever by a holder that shows it', async () => {
    await take('one');
    expect(await take('other', 'has it', 1_000_000)).to.equal(false);
  });

  it('is free at once when its holder is gone', async () => {
    await take('one');
    expect(await take('other', 'gone')).to.equal(true);
  });

  it('waits a minute for a holder that has not shown up, as after a crash, and no longer', async () => {
    await take('one');
    expect(await take('other', 'may come', claimGraceSeconds - 1)).to.equal(false);
    expect(await take('other', 'may come', claimGraceSeconds)).to.equal(true);
  });
});
