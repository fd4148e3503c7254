import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { sha256 } from '../../../engines/node/digest.js';
import { entryHash, genesisHash, type ChainedEvent } from '../../../ledger/chain/chain.js';

const event: ChainedEvent = {
  eventId: '7e0b1c2d-3f4a-4b5c-8d6e-7f8091a2b3c4',
  type: 'RatingGiven',
  schema: 1,
  stream: 'trace-60c67a87',
  revision: 3,
  at: '2026-03-01T09:00:00.000000Z',
  actor: { type: 'user', id: '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20', role: 'annotator' },
  organizationId: 'e3a1',
  requestId: 'f0c2',
  correlationId: 'c1',
  causationId: null,
  dataDigest: '9f86',
};
const hashOf = (prev: string, seq: number, one: ChainedEvent): string =>
  Buffer.from(entryHash(sha256, prev, seq, one)).toString('hex');

describe('the hashed line of an entry', () => {
  it('follows contract 5.14, rule 2, member by member', () => {
    const line = `assay-history-1
${genesisHash}
4182
7e0b1c2d-3f4a-4b5c-8d6e-7f8091a2b3c4
RatingGiven
1
trace-60c67a87
3
2026-03-01T09:00:00.000000Z
user
5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20
annotator
e3a1
f0c2
c1
-
9f86`;
    expect(hashOf(genesisHash, 4182, event)).to.equal(
      createHash('sha256').update(line).digest('hex'),
    );
  });

  it('changes its hash with every member', () => {
    const { actor, ...members } = event;
    const others = [
      ...Object.entries(members).map(([name, value]) => ({
        ...event,
        [name]: typeof value === 'number' ? value + 1 : `${value}x`,
      })),
      ...Object.entries(actor).map(([name, value]) => ({
        ...event,
        actor: { ...actor, [name]: `${value}x` },
      })),
    ];
    const hashes = [
      hashOf(genesisHash, 1, event),
      hashOf(genesisHash, 2, event),
      hashOf('1'.repeat(64), 1, event),
      ...others.map((one) => hashOf(genesisHash, 1, one)),
    ];
    expect(new Set(hashes).size).to.equal(hashes.length);
  });
});
