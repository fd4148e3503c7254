import { expect } from 'chai';
import { provenByIdMs } from '../../../contract/history-seals.js';
import { sha256 } from '../../../engines/node/digest.js';
import type { ChainEntry } from '../../../ledger/chain/entries.js';
import { entryEvidence } from '../../../ledger/reads/entry-evidence.js';
import { bothLogs } from '../../support/both-logs.js';
import { appendOf, newEvent, newStream } from '../../support/new-events.js';
import { readAllPages } from '../../support/log-pages.js';
import type { OrganizationId } from '../../../kernel/schema-types.js';
import { entryProof, type ProofNeeds } from '../../../ledger/reads/proof.js';
import { uuid } from '../../support/record-generators.js';

describe('the proof of an entry by event id', () => {
  it('is refused when the scan takes too long, and names the alternative', async () => {
    let [nowMs, asked] = [0, 0];
    const needs = {
      sha256,
      clock: { milliseconds: () => nowMs },
      chains: {
        page: async (_chain: string, { at }: { readonly at: number | null }) => {
          nowMs += 700;
          asked += 1;
          return { entries: [], next: (at ?? 0) - 256_000 };
        },
      },
    } as unknown as ProofNeeds;
    const principal = { organizationId: uuid(9, 1) as OrganizationId } as never;
    const { signal } = new AbortController();
    const seal = { size: 100_000_000 } as never;
    const refused = await entryProof(
      needs,
      principal,
      { event_id: uuid(1, 1) as never },
      seal,
      signal,
    ).catch((error: unknown) => error);
    expect(asked).to.equal(Math.ceil(provenByIdMs / 700));
    expect(refused).to.include({ code: 'invalid' });
    expect(JSON.stringify(refused)).to.match(/not among the newest \d+ sealed entries.*by seq/);
  });
});

describe('the evidence of an entry', () => {
  for (const [engine, open] of bothLogs) {
    it(`is found at the entry's position, of every event on ${engine}`, async () => {
      const { log, close } = await open();
      try {
        for (let count = 0; count < 4; count += 1) {
          await log.append([appendOf(newStream(), 'none', newEvent(count), newEvent({ count }))]);
        }
        const { evidenceOf } = entryEvidence(log);
        const found: unknown[] = [];
        const events = await readAllPages(log);
        for (const { id, type, position } of events) {
          const { data } = await evidenceOf({ eventId: id, type, position } as ChainEntry);
          found.push(JSON.parse(data ?? 'null'));
        }
        expect(found).to.deep.equal(events.map(({ data }) => data));
        expect(log.health()).to.include({ writable: true, cause: null });
      } finally {
        await close();
      }
    });
  }
});
