import { expect } from 'chai';
import * as fc from 'fast-check';
import { spanOutline, traceOutline, type OutlineSelection } from '../../kernel/records/outlines.js';
import { logStart } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { foldBatch } from '../../projections/records/batch.js';
import { compareDumps } from '../../projections/verify.js';
import {
  idsOf,
  markAt,
  project,
  put,
  putRows,
  scopeOf,
  searchOf,
  sessionId,
  sessionRow,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';
import { runs } from '../support/runs.js';
import { traceLogs } from '../support/random-trace-logs.js';

/** Growth of groups: adding rows, and the folding's queries for existing rows. */
export const groupGrowthSuite = (records: () => Records, reopen: () => Promise<void>): void => {
  const isComplete = { is_complete: true };
  const trace = (changes: Partial<RecordRow> = {}): RecordRow =>
    traceRow(1, { values: isComplete, spanCount: 3, ...changes });
  const rewrite = (rows: readonly RecordRow[], copies: RecordRow | null = null): Promise<void> => {
    const isNow = (row: RecordRow) => ({
      isComplete: row.values['is_complete'] === true,
      annotators: row.annotators,
    });
    const partial = { inherited: copies === null ? null : isNow(copies) };
    return put(records(), { groups: [{ group: trace().group, fresh: false, rows, partial }] });
  };
  const spansNow = async () => (await records().search(searchOf({ population: 'span' }))).rows;

  it('replace the changed rows of a group, and keep the others', async () => {
    const first = trace({ spanCount: 2, userMetadata: { old: 'x' } });
    const spans = [1, 2].map((at) => spanRow(first, at, { metrics: score(at), userMetadata: {} }));
    await putRows(records(), [first, ...spans, traceRow(2)]);
    const grown = [
      trace({ values: { ...first.values, name: 'grown' } }),
      spanRow(first, 2, { values: { name: 'changed' }, metrics: score(7) }),
      spanRow(first, 3),
    ];
    await rewrite(grown);
    await reopen();
    expect(await spansNow()).to.deep.equal([grown[2], grown[1], spans[0]]);
    expect((await records().rowsByGroup([first.group])).get(first.group)).to.deep.equal([
      grown[0],
      spans[0],
      grown[1],
      grown[2],
    ]);
    expect((await records().columns(scopeOf())).userMetadata).to.deep.equal([]);
    const left = await Array.fromAsync(records().dump());
    expect(left).to.have.lengthOf(5);
    await put(records(), { groups: [{ group: first.group, fresh: false, rows: [] }] });
    expect(await spansNow()).to.deep.equal([]);
    expect(idsOf((await records().search(searchOf())).rows)).to.deep.equal([traceId(2)]);
  });

  it('show what belongs to the trace on spans that were not written again', async () => {
    const first = trace();
    await putRows(records(), [first, ...[1, 2, 3].map((at) => spanRow(first, at))]);
    const pair = `${traceId(50)}/${traceId(60)}`;
    const rated = trace({ annotators: [pair], values: { ...first.values, is_complete: false } });
    const changed = [rated, spanRow(rated, 2, { values: { name: 'changed' } })];
    await rewrite(changed, rated);
    const spans = await spansNow();
    expect(spans.map(({ annotators }) => annotators)).to.deep.equal([[pair], [pair], [pair]]);
    expect(spans.map(({ values }) => values['is_complete'])).to.deep.equal([false, false, false]);
    expect(spans.map(({ ordinal }) => ordinal)).to.deep.equal([3, 2, 1]);
    const leaf = { kind: 'boolean', column: 'is_complete', operator: 'eq' } as const;
    const countOf = (filter: Parameters<typeof scopeOf>[0]) =>
      records().count(scopeOf({ population: 'span', ...filter }));
    expect(await countOf({ filter: { ...leaf, value: false } })).to.equal(3);
    expect(await countOf({ filter: { ...leaf, value: true } })).to.equal(0);
    const annotated = { kind: 'fully_annotated', users: null } as const;
    expect(
      await countOf({ filter: annotated, templates: [{ id: traceId(50), type: 'star' }] }),
    ).to.equal(3);
    expect(
      await countOf({ filter: annotated, templates: [{ id: traceId(51), type: 'star' }] }),
    ).to.equal(0);
  });

  it('outline spans, and give their rows and the first rows of groups', async () => {
    const first = trace();
    const spans = [1, 2, 3].map((at) => spanRow(first, at, { metrics: score(at) }));
    const sent = { ...spans[1], body: { parent_id: 'elsewhere', ...hidden(1_500) } } as RecordRow;
    const all = [first, spans[0], sent, spans[2]] as readonly RecordRow[];
    await putRows(records(), [...all, sessionRow(1), traceRow(2)]);
    const other = traceRow(2).group;
    const session = sessionRow(1);
    const heads = await records().firstRows([first.group, session.group, traceRow(9).group]);
    expect([...heads]).to.have.deep.members([
      [first.group, first],
      [session.group, session],
    ]);
    const outlines = await records().spanOutlines([first.group, other]);
    expect([...outlines]).to.deep.equal([[first.group, all.slice(1).map(spanOutline)]]);
    const rows = await records().rowsByOrdinal([
      { group: first.group, ordinals: [3, 2, 9] },
      { group: traceRow(9).group, ordinals: [1] },
    ]);
    expect(rows).to.have.deep.members(all.slice(2));
  });

  it('outline the traces of a session from either end, part by part', async () => {
    const inSession = (at: number, minute: number) =>
      traceRow(at, {
        values: {
          ...isComplete,
          session_id: sessionId(1),
          created_at: `2026-03-01T12:0${minute}:00.000000Z`,
        },
        metrics: { ...score(at), text: { value: 'x', rolledUp: false, rollUp: 0.5 } },
        annotators: [`${traceId(50)}/${traceId(60)}`],
        body: hidden(minute * 3_000),
      });
    const traces = [inSession(1, 3), inSession(2, 1), inSession(4, 2), inSession(3, 2)];
    await putRows(records(), [...traces, traceRow(5)]);
    const scope = { project, session: sessionId(1) };
    const ordered = [traces[1], traces[3], traces[2], traces[0]].map((row) =>
      traceOutline(row as RecordRow),
    );
    const ask = (part: Partial<OutlineSelection>) =>
      records().traceOutlines(scope, {
        after: null,
        order: 'first',
        except: [],
        limit: 9,
        ...part,
      });
    expect(await ask({})).to.deep.equal(ordered);
    expect(await ask({ after: ordered[1]?.at ?? null, limit: 1 })).to.deep.equal([ordered[2]]);
    const but = [ordered[3]?.group ?? traceRow(9).group, traceRow(9).group];
    expect(await ask({ order: 'last', except: but })).to.deep.equal(
      ordered.slice(0, 3).toReversed(),
    );
    expect(await ask({ order: 'last', after: ordered[1]?.at ?? null })).to.deep.equal([ordered[0]]);
    const none = { project, session: sessionId(2) };
    expect(await records().sessionsWithTraces([none, scope])).to.deep.equal([scope]);
  });

  it('equal a replay of the log, in whatever batches it was folded', () =>
    fc.assert(
      fc.asyncProperty(traceLogs, fc.integer({ min: 1, max: 4 }), async (events, size) => {
        const [grown, replayed] = [await records().shadow(), await records().shadow()];
        try {
          for (const [model, step] of [
            [grown.model, size],
            [replayed.model, events.length],
          ] as const) {
            expect(await model.checkpoint()).to.equal(logStart);
            for (let at = 0; at < events.length; at += step) {
              const batch = events.slice(at, at + step);
              const { writes, poisons } = await foldBatch(model, batch);
              expect(poisons).to.deep.equal([]);
              await model.apply(writes, markAt(at + 1));
            }
          }
          const compared = await compareDumps(grown.model.dump(), replayed.model.dump());
          expect(compared.difference).to.equal(null);
        } finally {
          await Promise.all([grown.discard(), replayed.discard()]);
        }
      }),
      { numRuns: runs(2) },
    )).timeout(60_000);
};

/** A long record is stored in several places. */
const hidden = (characters: number): RecordRow['body'] => ({
  redacted_input: 'x'.repeat(characters),
});

const score = (value: number): RecordRow['metrics'] => ({
  score: { value, rolledUp: false, first: { at: `${value}`, type: 'integer', fraction: false } },
});
