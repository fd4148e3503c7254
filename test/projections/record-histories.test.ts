import { expect } from 'chai';
import * as fc from 'fast-check';
import { registryMetricByName } from '../../kernel/records/columns.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { StreamName } from '../../kernel/ports.js';
import { foldBatch } from '../../projections/records/batch.js';
import { canonicalJson } from '../../kernel/canonical-json.js';
import { asJson, traceLogs, rowStore, type TraceLogEvent } from '../support/random-trace-logs.js';
import { runs } from '../support/runs.js';

const play = async (batches: readonly (readonly TraceLogEvent[])[]) => {
  const store = rowStore();
  for (const batch of batches) {
    const { writes, poisons, gap } = await foldBatch(store, batch, 'every group');
    expect(poisons).to.deep.equal([]);
    expect(gap).to.equal(null);
    store.write(writes.groups);
  }
  return store.rows();
};
const canonicalRows = (rows: readonly RecordRow[]) => asJson(rows).map(canonicalJson);

const cut = (events: readonly TraceLogEvent[], sizes: readonly number[]) => {
  const batches: TraceLogEvent[][] = [];
  for (let at = 0, index = 0; at < events.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    batches.push(events.slice(at, at + size));
    at += size;
  }
  return batches;
};

/** Every stream in its order, some events again, streams against each other within a window. */
const deliver = (events: readonly TraceLogEvent[], picks: readonly number[]) => {
  const delivered: TraceLogEvent[] = [];
  const waiting = [...events];
  for (let turn = 0; waiting.length > 0; turn += 1) {
    const pick = picks[turn % picks.length] ?? 0;
    const seen = new Set<StreamName>();
    const heads = waiting.slice(0, 64).filter(({ stream }) => {
      const first = !seen.has(stream);
      seen.add(stream);
      return first;
    });
    const next = heads[pick % heads.length];
    if (next === undefined) break;
    waiting.splice(waiting.indexOf(next), 1);
    const repeats = next.type === 'TraceDeleted' ? 1 : 1 + (pick % 3);
    for (let again = 0; again < repeats; again += 1) delivered.push(next);
    const earlier = delivered.find(({ stream }) => stream === next.stream);
    if (pick % 5 === 0 && earlier !== undefined && next.type !== 'TraceDeleted') {
      delivered.push(earlier);
    }
  }
  return delivered;
};

const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 40 });
const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 });

describe('rows of generated histories', () => {
  it('do not depend on batch boundaries', () =>
    fc.assert(
      fc.asyncProperty(traceLogs, sizes, async (events, batches) => {
        expect(canonicalRows(await play(cut(events, batches)))).to.deep.equal(
          canonicalRows(await play([events])),
        );
      }),
      { numRuns: runs(30) },
    )).timeout(20_000);

  it('do not change when events are redelivered and streams overtake each other', () =>
    fc.assert(
      fc.asyncProperty(traceLogs, picks, sizes, async (events, choices, batches) => {
        expect(canonicalRows(await play(cut(deliver(events, choices), batches)))).to.deep.equal(
          canonicalRows(await play([events])),
        );
      }),
      { numRuns: runs(40) },
    )).timeout(20_000);

  it('roll metrics up by the definition', () =>
    fc.assert(
      fc.asyncProperty(traceLogs, async (events) => {
        const rows = await play([events]);
        for (const trace of rows.filter(({ kind }) => kind === 'trace')) {
          const spans = rows.filter((row) => row.group === trace.group && row.ordinal > 0);
          for (const [name, expected] of naiveRollUps(String(trace.values['id']), spans)) {
            const cell = Object.entries(trace.metrics).find(([known]) => known === name)?.[1];
            const shown = cell?.rolledUp === false && typeof cell.value === 'number' ? null : cell;
            if (shown === null) continue;
            const value = shown?.rolledUp === true ? shown.value : shown?.rollUp;
            expect(value, name).to.be.closeTo(expected, 1e-9);
          }
        }
      }),
      { numRuns: runs(30) },
    )).timeout(20_000);
});

/** Contract 3.4, rule 4, word by word; of `duration_ns` rule 7 holds (elapsed.test.ts). */
const naiveRollUps = (root: string, spans: readonly RecordRow[]): Map<string, number> => {
  const names = new Set(spans.flatMap(({ metrics }) => Object.keys(metrics)));
  names.delete('duration_ns');
  const own = (span: RecordRow, name: string): number | null => {
    const cell = Object.entries(span.metrics).find(([known]) => known === name)?.[1];
    return typeof cell?.value === 'number' ? cell.value : null;
  };
  const collect = (parent: unknown, name: string): readonly number[] =>
    spans
      .filter(({ values }) => values['parent_id'] === parent)
      .flatMap((span) => {
        const value = own(span, name);
        return value === null ? collect(span.values['id'], name) : [value];
      });
  const results = new Map<string, number>();
  for (const name of names) {
    const values = collect(root, name);
    if (values.length === 0) continue;
    const sum = values.reduce((total, value) => total + value, 0);
    results.set(name, registryMetricByName.get(name)?.rollUp === 'sum' ? sum : sum / values.length);
  }
  return results;
};
