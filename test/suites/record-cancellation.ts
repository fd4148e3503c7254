import { setMaxListeners } from 'node:events';
import { expect } from 'chai';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import type { Records } from '../../kernel/records/records.js';
import {
  aggregateOf,
  groupKey,
  idsOf,
  project,
  putRows,
  run,
  scopeOf,
  searchOf,
  traceId,
  traceRow,
} from '../support/record-rows.js';

/** A query ends when its request is cancelled (contract 1.7, rule 5). */
export const recordCancellationSuite = (records: () => Records): void => {
  it('cancel a query on abort, and still work afterwards', async () => {
    const needles = Array.from({ length: 8_000 }, (_, n) => `n${String(n).padStart(4, '0')}`);
    const text = `${'x'.repeat(200_000)}${needles.join('')}`;
    const rows = Array.from({ length: 8 }, (_, n) => traceRow(n, { values: { input: text } }));
    await putRows(records(), rows);
    // Each needle is found at the end of each text only: the query takes minutes on MongoDB.
    const endless: Filter = {
      all: Array.from({ length: 8 }, (_, leaf) => ({
        kind: 'text' as const,
        column: 'input',
        operator: 'contains' as const,
        values: needles.slice(leaf * 1_000, leaf * 1_000 + 1_000),
        caseSensitive: true,
      })),
    };
    const reason = new Fault('unavailable', 'the client is gone');
    const gone = new AbortController();
    const asking = { signal: gone.signal };
    const asked = [
      records().search({ ...searchOf(), filter: endless }, asking),
      ...Array.from({ length: 7 }, () =>
        records().count({ ...scopeOf(), filter: endless }, asking),
      ),
    ].map((one) => one.catch((error: unknown) => error));
    setImmediate(() => gone.abort(reason));
    for (const one of asked) expect(await one).to.equal(reason);
    const after = await Promise.all(Array.from({ length: 8 }, () => records().search(searchOf())));
    for (const page of after) expect(idsOf(page.rows)).to.have.length(8);
  });

  it('start no query whose signal is already aborted', async () => {
    await putRows(records(), [traceRow(0)]);
    const reason = new Fault('unavailable', 'the client is gone');
    const asking = { signal: AbortSignal.abort(reason) };
    setMaxListeners(0, asking.signal);
    const asked = [
      records().search(searchOf(), asking),
      records().count(scopeOf(), asking),
      records().aggregate(aggregateOf({ groupBy: [groupKey('name')] }), asking),
      records().columns(scopeOf(), asking),
      records().findGroup(project, 'trace', traceId(0), asking),
      records().groupRows({ project, population: 'trace', id: traceId(0), bytesMax: 1 }, asking),
      records().rowsByGroup([traceRow(0).group], asking),
      records().groupBytes([traceRow(0).group], asking),
      records().tracesOfSessions({ project, sessions: [traceId(0)], tracesMax: 10 }, asking),
      records().recordsWithEntry(
        { project, population: 'trace', key: 'k', value: 'v', limit: 1 },
        asking,
      ),
      records().sessionPage({ project, session: traceId(0), offset: 0, limit: 1 }, asking),
      records().metricTypes(project, ['mine'], asking),
      records().runCounts(project, [run], asking),
      records().runMeasures(project, [run], asking),
      records().runAverages(project, [], [run], asking),
      records().runRows({ project, runs: [run], metrics: [] }, asking),
      records().ratings(project, null, asking),
    ].map((one) => one.catch((error: unknown) => error));
    for (const one of asked) expect(await one).to.equal(reason);
    expect(await records().count(scopeOf())).to.equal(1);
  });
};
