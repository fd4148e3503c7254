import { expect } from 'chai';
import { Fault } from '../../../kernel/fault.js';
import type { ChainPages } from '../../../ledger/chain/entries.js';
import { openLimiter } from '../../../kernel/limiter.js';
import { limits } from '../../../kernel/limits.js';
import { scheduledExports, scheduledPages } from '../../../ledger/reads/limiter.js';

const question = { at: null, ascending: true, limit: 1, technical: false } as const;

describe('concurrency of history queries', () => {
  it('is limited to one per organisation and two per process; some wait', async () => {
    const inside: string[] = [];
    let most = 0;
    const done: string[] = [];
    const page: ChainPages['page'] = async (chain) => {
      expect(inside).to.not.include(chain);
      inside.push(chain);
      most = Math.max(most, inside.length);
      await new Promise((resolve) => setImmediate(resolve));
      inside.splice(inside.indexOf(chain), 1);
      done.push(chain);
      return { entries: [], next: null };
    };
    const ask = scheduledPages({ page }, openLimiter(limits.historyReads));
    const flood = Promise.allSettled(Array.from({ length: 100 }, () => ask('flood', question)));
    const others = ['a', 'b', 'c'].map((chain) => ask(chain, question));
    await Promise.all(others);
    expect(done.length).to.be.at.most(10);
    const refused = (await flood).flatMap((one) =>
      one.status === 'rejected' ? [one.reason as unknown] : [],
    );
    expect(refused.length).to.equal(35);
    for (const one of refused) {
      expect(one instanceof Fault && one.code).to.equal('unavailable');
    }
    expect(most).to.equal(2);
  });

  it('is not held by slow readers of a file; unread files are cancelled', async () => {
    let ended = 0;
    async function* pages() {
      try {
        for (;;) yield { nodes: [], lines: [], next: null };
      } finally {
        ended += 1;
      }
    }
    const unused = () => {
      throw new Error('not asked');
    };
    const needs = scheduledExports(
      { pages, certificateLines: unused },
      openLimiter(limits.historyReads),
    );
    const read = () => needs.pages({ organization_id: 'a' } as never)[Symbol.asyncIterator]();
    const readers = Array.from({ length: 5 }, read);
    for (const reader of readers) expect((await reader.next()).done).to.equal(false);
    for (const reader of readers) await reader.return?.();
    expect(ended).to.equal(5);
  });
});
