import { expect } from 'chai';
import { pageInfo } from '../../contract/envelope.js';
import { openRecords } from '../../engines/duckdb/records.js';
import { Fault } from '../../kernel/fault.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import type { JsonChunks } from '../../kernel/json-chunks.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import type { RunInSlice } from '../../kernel/concurrency.js';
import {
  recordAnswers,
  type RecordAnswers,
  type RecordPlan,
} from '../../query-api/records/answers.js';
import { truncateTexts, recordViewOf } from '../../query-api/records/views.js';
import { temporaryFolder } from '../support/folder.js';
import {
  project,
  putRows,
  searchOf,
  sessionId,
  sessionRow,
  spanRow,
  traceRow,
} from '../support/record-rows.js';

const templates: readonly FeedbackTemplate[] = [{ id: 'stars', type: 'star' }];
const text = (pieces: JsonChunks | null): string | null =>
  pieces === null ? null : Buffer.concat(pieces).toString();

/** Tree of a record (contract 5.7): objects within objects. */
const treeOf = (row: RecordRow, rows: readonly RecordRow[]): JsonObject => ({
  ...recordViewOf(row, false, templates),
  spans: rows
    .filter(({ kind, values }) => kind !== 'trace' && values['parent_id'] === row.values['id'])
    .map((child) => treeOf(child, rows)),
});

const traceOf = (at: number, spans: number, input: string): readonly RecordRow[] => {
  const created_at = `2026-03-01T00:00:${String(at).padStart(2, '0')}.000000Z`;
  const values = { session_id: sessionId(1), created_at, input: `${input} "grüße"\n漢🎉` };
  const trace = traceRow(at, { values, annotators: ['stars/u'], spanCount: spans });
  const made: RecordRow[] = [trace];
  for (let ordinal = 1; ordinal <= spans; ordinal += 1) {
    const parent = made[Math.floor(ordinal / 3)] ?? trace;
    const place = { parent_id: String(parent.values['id']), step_number: ordinal };
    made.push(spanRow(trace, ordinal, { values: { ...place, input, output: 'done' } }));
  }
  return made;
};

describe('serialised responses of records', () => {
  let records: Records;
  let remove: () => Promise<void>;
  const traces = [traceOf(1, 40, 'a'.repeat(9_000)), traceOf(2, 0, ''), traceOf(3, 7, 'b')];
  const large = traceOf(4, 12, 'l'.repeat(100_000));
  before(async () => {
    const folder = await temporaryFolder();
    ({ remove } = folder);
    records = await openRecords({ dir: folder.dir });
    await putRows(records, [sessionRow(1, { body: { traces: 4 } }), ...traces.flat(), ...large]);
  });
  after(async () => {
    await records.close();
    await remove();
  });
  const answers = (inSlices: RunInSlice = async (work) => work()): RecordAnswers =>
    recordAnswers({ records, inSlices });
  const weighed = async ([trace]: readonly RecordRow[]) => {
    const group = trace?.group ?? traceRow(99).group;
    return { group, bytes: (await records.groupBytes([group])).get(group) ?? 0 };
  };
  const planOf = (row: RecordRow | undefined, bytesMax = Number.POSITIVE_INFINITY): RecordPlan => ({
    project,
    population: row?.kind === 'trace' ? 'trace' : 'span',
    id: String(row?.values['id']),
    bytesMax,
  });
  const ofRecord = async (...asked: Parameters<RecordAnswers['record']>) =>
    (await answers().record(...asked))?.json ?? null;

  it('are the JSON of the objects in the contract', async () => {
    for (const rows of [...traces, large]) {
      const [trace] = rows;
      if (trace === undefined) throw new Error('a trace has rows');
      const found = await ofRecord(planOf(trace), templates);
      expect(text(found)).to.equal(JSON.stringify(treeOf(trace, rows)));
      for (const span of rows.slice(1, 3)) {
        const below = await ofRecord(planOf(span), []);
        expect(text(below)).to.equal(JSON.stringify(treeOf(span, rows)));
      }
    }
    const session = sessionRow(1, { body: { traces: 4 } });
    const page = { starting_token: 1, next_starting_token: 3 };
    const shown = traces.slice(1);
    const asked = { group: session.group, traces: await Promise.all(shown.map(weighed)), ...page };
    const expected = {
      ...recordViewOf(session, false, templates),
      traces: shown.map((rows) => treeOf(rows[0] ?? session, rows)),
      ...page,
    };
    expect(text(await answers().session(asked, templates))).to.equal(JSON.stringify(expected));
  });

  it('cover pages of searches, truncated and counted on request', async () => {
    for (const isCut of [false, true]) {
      for (const [offset, limit] of [
        [0, 2],
        [1, 1_000],
        [9, 5],
      ] as const) {
        const plan = searchOf({ offset, limit });
        const { rows, more } = await records.search(plan);
        const shown = { withCounts: isCut, truncated: isCut, fields: null, templates };
        const views = rows.map((row): Json => {
          const view = recordViewOf(row, isCut, templates);
          return isCut ? truncateTexts(view) : view;
        });
        const expected = {
          ...pageInfo({ starting_token: offset, limit }, rows.length, more),
          records: views,
          last_row_id: rows.at(-1)?.values['id'] ?? null,
        };
        const found = text(await answers().search(plan, shown));
        expect(found).to.equal(JSON.stringify(expected));
      }
    }
  });

  it('are null where the record was deleted', async () => {
    const gone = { group: traceRow(99).group, bytes: 1 };
    expect(await ofRecord(planOf(traceRow(99)), templates)).to.equal(null);
    expect(await ofRecord(planOf(spanRow(traceRow(99), 1)), [])).to.equal(null);
    const session = sessionRow(2).group;
    const page = { group: session, traces: [gone], starting_token: 0, next_starting_token: null };
    expect(await answers().session(page, templates)).to.equal(null);
  });

  it('report an exceeded limit before any row is read', async () => {
    const { group, bytes } = await weighed(large);
    for (const row of large.slice(0, 2)) {
      const found = await answers().record(planOf(row, bytes - 1), templates);
      expect(found).to.deep.equal({ group, bytes, json: null });
      expect((await answers().record(planOf(row, bytes), templates))?.json).to.be.an('array');
    }
  });

  /** Slices that wait until they are let go. */
  const held = () => {
    const waiting: (() => void)[] = [];
    const inSlices: RunInSlice = async (work) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return work();
    };
    const one = async () => {
      while (waiting.length === 0) await new Promise((resolve) => void setImmediate(resolve));
      waiting.shift()?.();
    };
    return { inSlices, waiting, one };
  };

  it('are built one at a time when large, and small ones beside them', async () => {
    const { inSlices, waiting, one } = held();
    const made = answers(inSlices);
    const order: string[] = [];
    const asking = (tenant: string) => ({ tenant });
    const huge = await weighed(large);
    const plan = planOf(large[0], huge.bytes);
    const two = [1, 2].map(async (at) => {
      const found = await made.record(plan, templates, asking(`person ${at}`));
      order.push(`large ${at}: ${found?.json?.length}`);
    });
    await one();
    const small = made.record(planOf(traces[1]?.[0], 65_536), templates).then(() => {
      order.push('small');
    });
    while (waiting.length < 2) await new Promise((resolve) => void setImmediate(resolve));
    waiting.splice(1, 1)[0]?.();
    await small;
    // Had the second one begun, its slice would wait here as well.
    expect(waiting).to.have.length(1);
    const letGo = setInterval(() => waiting.shift()?.(), 1);
    await Promise.all(two);
    clearInterval(letGo);
    expect(order[0]).to.equal('small');
    expect(order).to.have.length(3);
    expect(huge.bytes).to.be.greaterThan(1_048_576);
  });

  it('end when the request is cancelled, and others continue', async () => {
    const { inSlices, one, waiting } = held();
    const made = answers(inSlices);
    const gone = new AbortController();
    const plan = planOf(large[0]);
    const first = made
      .record(plan, templates, { signal: gone.signal })
      .catch((error: unknown) => error);
    await one();
    while (waiting.length < 1) await new Promise((resolve) => void setImmediate(resolve));
    const reason = new Fault('unavailable', 'the client is gone');
    gone.abort(reason);
    await one();
    expect(await first).to.equal(reason);
    const letGo = setInterval(() => waiting.shift()?.(), 1);
    const second = await made.record(plan, templates);
    clearInterval(letGo);
    expect(second?.json).to.be.an('array');
  });
});
