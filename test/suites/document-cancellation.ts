import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import type { Documents } from '../../kernel/documents.js';
import { checkpointAt, sampleCollection, writesOf } from './sample-documents.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';

/** A search ends when its request is cancelled (contract 1.7, rule 5). */
export const documentCancellationSuite = (
  documents: () => Documents,
  openReader: () => Promise<Documents>,
): void => {
  const thing = (key: string, name: string) => ({
    key,
    scope: 'here',
    fields: { name, created_at: null, size: null, is_red: null, owner: null },
    body: key,
  });
  const reason = new Fault('unavailable', 'the client is gone');
  const first = { scope: 'here', limit: 1 };

  it('cancels a search on abort, and still serves keys meanwhile', async () => {
    const needles = Array.from({ length: 1_000 }, (_, n) => `n${String(n).padStart(3, '0')}`);
    const name = needles.join('');
    const many = Array.from({ length: 5_000 }, (_, n) => thing(`k${n}`, name));
    await documents().apply(sampleCollection, writesOf(...many), checkpointAt(1));
    // Each needle is in each name: the search would take minutes.
    const endless: Filter = {
      all: Array.from({ length: 90 }, () => ({
        kind: 'text' as const,
        column: 'name',
        operator: 'contains' as const,
        values: needles,
        caseSensitive: true,
      })),
    };
    const reader = await openReader();
    try {
      const search = (signal: AbortSignal): Promise<unknown> => {
        const asking = { signal, tenant: 'somebody' };
        const found = reader.find(sampleCollection, { ...first, filter: endless }, asking);
        return found.catch((error: unknown) => error);
      };
      const gone = new AbortController();
      const left = [search(gone.signal), search(gone.signal), search(gone.signal)];
      gone.abort(reason);
      for (const one of left) expect(await one).to.equal(reason);

      // An engine may answer these meanwhile, or end them by its own time limit.
      const later = new AbortController();
      const searches = [search(later.signal), search(later.signal), search(later.signal)];
      expect(await reader.get(sampleCollection, 'k7')).to.include({ key: 'k7' });
      const named = { kind: 'text', column: 'name', operator: 'eq', caseSensitive: true } as const;
      const simple = { ...first, filter: { ...named, values: [name] } };
      const other = await reader.find(sampleCollection, simple, { tenant: 'somebody else' });
      expect(other.documents).to.have.length(1);
      later.abort(reason);
      await Promise.all(searches);
      const after = await reader.find(sampleCollection, simple, { tenant: 'somebody' });
      expect(after.documents).to.have.length(1);
    } finally {
      await reader.close();
    }
  });

  it('cancels a search on abort, even without matches and with few slow documents', async () => {
    const needles = Array.from({ length: 1_000 }, (_, n) => `n${String(n).padStart(3, '0')}`);
    const name = 'x'.repeat(96_000) + needles.join('');
    await documents().apply(
      sampleCollection,
      writesOf(...Array.from({ length: 15 }, (_, n) => thing(`k${n}`, name))),
      checkpointAt(1),
    );
    const has = (values: readonly string[]) => ({
      kind: 'text' as const,
      column: 'name',
      operator: 'contains' as const,
      values,
      caseSensitive: true,
    });
    // A row takes half a minute and does not match in the end.
    const filter: Filter = {
      all: [...Array.from({ length: 90 }, () => has(needles)), has(['n007', '?'])],
    };
    const reader = await openReader();
    try {
      const gone = new AbortController();
      const asking = { signal: gone.signal, tenant: 'somebody' };
      const search = reader
        .find(sampleCollection, { ...first, filter }, asking)
        .catch((error: unknown) => error);
      // Another thread answers this one, so that the search has begun.
      await reader.find(
        sampleCollection,
        { ...first, filter: has(['?']) },
        { tenant: 'somebody else' },
      );
      gone.abort(reason);
      const waited = idleAwareClock();
      expect(await search).to.equal(reason);
      // One search of a tenant runs at a time.
      await reader.find(
        sampleCollection,
        { ...first, filter: has(['n007']) },
        { tenant: 'somebody' },
      );
      expect(waited()).to.be.lessThan(5_000);
    } finally {
      await reader.close();
    }
  });

  it('starts no search whose signal is already aborted', async () => {
    await documents().apply(sampleCollection, writesOf(thing('a', 'a')), checkpointAt(1));
    const reader = await openReader();
    const asking = { signal: AbortSignal.abort(reason) };
    for (const one of [documents(), reader]) {
      const asked = [
        one.get(sampleCollection, 'a', asking),
        one.load(sampleCollection, ['a'], asking),
        one.find(sampleCollection, first, asking),
      ];
      for (const answer of asked) {
        expect(await answer.catch((error: unknown) => error)).to.equal(reason);
      }
    }
    await reader.close();
  });
};
