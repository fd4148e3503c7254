import { expect } from 'chai';
import * as fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { Fault } from '../../kernel/fault.js';
import { cellPlanOf, measureStages } from '../../engines/mongodb/record-cells.js';
import {
  collectMeasures,
  widgetMeasure,
  type CellMeasures,
} from '../../engines/mongodb/record-measures.js';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import type { Aggregation, Widget } from '../../kernel/records/query-plans.js';
import { numbers, uuid } from '../support/record-generators.js';
import { aggregateOf, putRows, sessionId, spanRow, traceRow } from '../support/record-rows.js';
import { runs } from '../support/runs.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

const percents = ['P50', 'P90', 'P95', 'P99'] as const;
const aggregations: readonly Aggregation[] = [...percents, 'Count', 'Min', 'Max'];
const widgets = aggregations.map((aggregation): Widget => ({
  id: aggregation,
  metric: 'm',
  aggregation,
  type: 'floating_point',
}));

type Span = {
  readonly value: number | null;
  readonly trace: number;
  /** Null: the trace is outside sessions. */
  readonly session: number | null;
  readonly minute: number;
};

/** The expected cell of these spans. */
const expected = (spans: readonly Span[]): unknown => {
  const order = spans
    .flatMap(({ value }) => (value === null ? [] : [value + 0]))
    .sort((one, other) => one - other);
  const rank = (percent: number): number | null =>
    order[Math.ceil((percent * order.length) / 100) - 1] ?? null;
  return {
    records: spans.length,
    requests: new Set(spans.map(({ trace }) => trace)).size,
    sessions: new Set(spans.flatMap(({ session }) => session ?? [])).size,
    ...Object.fromEntries(percents.map((name) => [name, rank(Number(name.slice(1)))])),
    Count: order.length,
    Min: order[0] ?? null,
    Max: order.at(-1) ?? null,
  };
};

const told = (cell: CellMeasures): unknown => ({
  records: cell.records,
  requests: cell.requests,
  sessions: cell.sessions,
  ...Object.fromEntries(widgets.map((widget, at) => [widget.id, widgetMeasure(cell, widget, at)])),
});

withMongo('measures of cells in MongoDB', (server) => {
  it('merges measures from the shares of sessions', async () => {
    const url = server().url();
    const client = await MongoClient.connect(url);
    const rows = client.db().collection('rows');
    const plan = aggregateOf({ population: 'span', intervalMinutes: 5, widgets });
    const traces = fc.array(fc.option(fc.nat(40)), { minLength: 30, maxLength: 30 });
    const spans = fc.array(
      fc.record({
        value: fc.option(fc.oneof(fc.constantFrom(...numbers), fc.double({ noNaN: true }))),
        trace: fc.nat(29),
        minute: fc.nat(9),
      }),
      { minLength: 1, maxLength: 120 },
    );
    const property = fc.asyncProperty(traces, spans, async (sessions, some) => {
      const all = some.map((span): Span => ({ ...span, session: sessions[span.trace] ?? null }));
      await rows.deleteMany({});
      await rows.insertMany(
        all.map(({ value, trace, session, minute }) => ({
          minute,
          spans: 0,
          ...(session !== null && { session: uuid(3, session) }),
          values: { trace_id: uuid(6, trace) },
          metrics: { _m: value === null ? {} : { floating_point: value + 0 } },
        })),
      );
      const way = cellPlanOf(plan);
      const { cells, total } = await collectMeasures(
        rows.aggregate([...measureStages(plan, way)]),
        plan,
        2,
      );
      expect(told(total)).to.deep.equal(expected(all));
      for (const cell of cells.values()) {
        const within = all.filter(({ minute }) => Math.floor(minute / 5) === cell.cell?.bucket);
        expect(told(cell)).to.deep.equal(expected(within));
      }
      expect(cells.size).to.equal(new Set(all.map(({ minute }) => Math.floor(minute / 5))).size);
    });
    await fc.assert(property, { numRuns: runs(10) });
    await client.close();
    await dropDatabase(url);
  }).timeout(30_000);

  it('stops at one cell too many', async () => {
    const url = server().url();
    const client = await MongoClient.connect(url);
    const rows = client.db().collection('rows');
    await rows.insertMany(Array.from({ length: 50 }, (_, minute) => ({ minute, spans: 0 })));
    const plan = aggregateOf({ intervalMinutes: 1 });
    const { cells } = await collectMeasures(
      rows.aggregate([...measureStages(plan, cellPlanOf(plan))]),
      plan,
      7,
    );
    expect(cells.size).to.equal(8);
    await client.close();
    await dropDatabase(url);
  });

  it('refuses a session beyond one document and says what helps', async () => {
    const url = server().url();
    const records = await openMongoRecords({ url });
    const long = 'x'.repeat(400_000);
    const rows = Array.from({ length: 50 }, (_, at) => {
      const trace = traceRow(at, { values: { session_id: sessionId(1) } });
      return [trace, spanRow(trace, 1, { values: { trace_id: `${long}${at}` } })];
    }).flat();
    await putRows(records, rows);
    const refusal = await records
      .aggregate(aggregateOf({ population: 'span' }))
      .catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(Fault).with.property('code', 'unavailable');
    expect((refusal as Fault).message).to.contain('ask for less');
    await records.close();
    await dropDatabase(url);
  });
});
