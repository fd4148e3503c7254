import { expect } from 'chai';
import { streamNameOf } from '../../kernel/ports.js';
import {
  claimName,
  claimGraceSeconds,
  releaseName,
  uniqueName,
  type HolderState,
} from '../../kernel/name-reservation.js';
import { authorAt, testLog, type TestLog } from '../support/test-log.js';

const name = streamNameOf('reservation', 'project', 'x');

describe('a name reservation', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  const take = (holder: string, other: HolderState = 'pending', seconds = 0) =>
    claimName(world.log, name, holder, async () => other, authorAt(seconds));
  const give = (holder: string) => releaseName(world.log, name, holder, authorAt());
  const events = async () => (await world.eventsOf(name)).map(({ type }) => type);

  it('goes to the first claim', async () => {
    expect(await take('one')).to.equal(true);
    expect(await take('other')).to.equal(false);
  });

  it('may be claimed again by its holder, which changes nothing', async () => {
    await take('one');
    expect(await take('one')).to.equal(true);
    expect(await events()).to.deep.equal(['NameClaimed']);
  });

  it('goes to exactly one of many concurrent claims', async () => {
    const holders = Array.from({ length: 16 }, (_, index) => `holder-${index}`);
    const taken = await Promise.all(holders.map((holder) => take(holder)));
    expect(taken.filter(Boolean)).to.have.length(1);
  });

  it('is free once its holder released it', async () => {
    await take('one');
    await give('one');
    expect(await take('other')).to.equal(true);
  });

  it('is released by its holder only', async () => {
    await take('one');
    await give('other');
    expect(await events()).to.deep.equal(['NameClaimed']);
  });

  it('stays taken, however long, while its holder has it', async () => {
    await take('one');
    expect(await take('other', 'held', 1_000_000)).to.equal(false);
  });

  it('is free at once when its holder is gone', async () => {
    await take('one');
    expect(await take('other', 'released')).to.equal(true);
  });

  it('waits at most a minute for a holder that does not exist yet, as after a crash', async () => {
    await take('one');
    expect(await take('other', 'pending', claimGraceSeconds - 1)).to.equal(false);
    expect(await take('other', 'pending', claimGraceSeconds)).to.equal(true);
  });
});

type Boat = { readonly name: string; readonly live: boolean };
type BoatEvent =
  | { readonly type: 'ProjectCreated' | 'ProjectRenamed'; readonly data: { readonly name: string } }
  | { readonly type: 'ProjectDeleted'; readonly data: object };

describe('a unique name', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  const boatStream = (id: string) => streamNameOf('project', id);
  const boatNames = uniqueName({
    stream: (_where: unknown, wanted: string) => streamNameOf('reservation', 'project', wanted),
    holder: boatStream,
    fold: {
      initial: null,
      evolve: (boat: Boat | null, { type, data }: BoatEvent) =>
        type === 'ProjectDeleted'
          ? boat && { ...boat, live: false }
          : { name: data.name, live: true },
    },
    isLive: ({ live }) => live,
    has: (boat, wanted) => boat.name === wanted,
  });
  const minuteLater = claimGraceSeconds;
  const claimed = (id: string, seconds = minuteLater) =>
    boatNames.claim(world, 'ark', id, authorAt(seconds));
  const happened = (id: string, type: BoatEvent['type'], data: object = {}) =>
    world.append(boatStream(id), { type, data });
  const settled = () =>
    boatNames.settle(world, 'ark', (revision) => `after-${revision}`, authorAt(minuteLater));

  beforeEach(async () => {
    await claimed('one', 0);
    await happened('one', 'ProjectCreated', { name: 'ark' });
  });

  it('is found through its holder, who keeps it', async () => {
    expect(await boatNames.find(world, 'ark')).to.include({ name: 'ark' });
    expect(await claimed('other')).to.equal(false);
    expect(await settled()).to.deep.equal({ holder: 'one', isDerived: false });
  });

  it('is free once its holder has another name', async () => {
    await happened('one', 'ProjectRenamed', { name: 'raft' });
    expect(await boatNames.find(world, 'ark')).to.equal(null);
    expect(await claimed('other', 0)).to.equal(false);
    expect(await claimed('other')).to.equal(true);
  });

  it('is free at once when its holder is gone, and goes to one of all claims', async () => {
    await happened('one', 'ProjectDeleted');
    expect(await boatNames.find(world, 'ark')).to.equal(null);
    const found = await Promise.all([settled(), settled(), settled()]);
    expect(new Set(found.map(({ holder }) => holder))).to.deep.equal(new Set(['after-0']));
  });
});
