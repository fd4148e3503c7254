import { expect } from 'chai';
import { foldCase } from '../../kernel/case-fold.js';
import { matchesFilter, type Filter } from '../../kernel/filter.js';
import { streamNameOf } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import { comparedCharactersMax, type SessionPlan } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import {
  idsOf,
  project,
  put,
  putRows,
  run,
  scopeOf,
  searchOf,
  sessionId,
  sessionRow,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const megabyte = 1_048_576;
/** Letters of one, two, three and four bytes, so that pieces end within all of them. */
const longText = (seed: number, length: number): string => {
  const words: string[] = [];
  for (let at = 0, left = length; left > 0; at += 1) {
    const word = `Wort${(seed * 7_919 + at * 31) % 100_003} ΟΔΟΣ漢🎉 `;
    words.push(word);
    left -= word.length;
  }
  return words.join('').slice(0, length).toWellFormed();
};

/** Long in each of its members. */
const longTrace = (): readonly RecordRow[] => {
  const trace = traceRow(1, {
    values: { input: longText(1, 300_001), output: longText(2, 9_000), dataset_input: 'short' },
    metrics: {
      note: {
        value: longText(3, 20_000),
        rolledUp: false,
        first: { at: '1', type: 'text', fraction: false },
      },
    },
    userMetadata: { key: longText(4, 4_096) },
    errors: { toxicity: { code: 1_001, message: longText(5, 12_000) } },
    spanCount: 1,
    body: { redacted_input: longText(6, 500_000), revision: 0 },
  });
  const span = spanRow(trace, 1, {
    values: { input: longText(7, megabyte), tools: longText(8, 70_000) },
    body: { input: [{ role: 'user', content: longText(7, megabyte) }] },
  });
  return [trace, span];
};

const contains = (column: string, values: readonly string[], caseSensitive = true): Filter => ({
  kind: 'text',
  column,
  operator: 'contains',
  values,
  caseSensitive,
});
const endIs = (
  operator: 'starts_with' | 'ends_with',
  column: string,
  value: string,
  caseSensitive = true,
): Filter => ({ kind: 'text', column, operator, values: [value], caseSensitive });

/** Texts up to 1 MiB in any member, and pages bounded in bytes. */
export const recordLongTextSuite = (records: () => Records, reopen: () => Promise<void>): void => {
  it('return long texts whole, after a reopening and from a dump too', async () => {
    const rows = longTrace();
    await putRows(records(), rows);
    for (const again of [false, true]) {
      if (again) await reopen();
      const [trace, span] = rows;
      expect((await records().search(searchOf())).rows).to.deep.equal([trace]);
      expect((await records().search(searchOf({ population: 'span' }))).rows).to.deep.equal([span]);
      const group = trace?.group ?? sessionRow(1).group;
      expect((await records().rowsByGroup([group])).get(group)).to.deep.equal(rows);
      const dumped = await Array.fromAsync(records().dump());
      expect(dumped.map(({ value }) => JSON.stringify(value).length > 500_000)).to.deep.equal([
        true,
        true,
      ]);
    }
  });

  it('match anywhere in a long text, even across the boundary of its pieces', async () => {
    const rows = longTrace();
    const [trace = traceRow(1)] = rows;
    await putRows(records(), [...rows, traceRow(2, { values: { input: 'short' } })]);
    const input = String(trace.values['input']);
    const needles = [0, 4_000, 6_100, 8_100, 8_190, 14_300, 150_000, 299_500].map((at) =>
      input.slice(at, at + 1_024).toWellFormed(),
    );
    const both = [input.slice(1_000, 1_050), input.slice(280_000, 280_040).toWellFormed()];
    const filters: readonly Filter[] = [
      ...needles.map((needle) => contains('input', [needle])),
      ...needles.map((needle) => contains('input', [foldCase(needle)], false)),
      contains('input', both),
      { not: contains('input', both) },
      contains('input', [...both, 'is nowhere']),
      { any: [contains('output', ['is nowhere']), contains('input', both)] },
      contains('metrics/note', [
        String(trace.metrics['note']?.value).slice(15_000, 15_040).toWellFormed(),
      ]),
      { not: contains('metrics/note', ['is nowhere']) },
    ];
    for (const filter of filters) {
      const expected = [trace, traceRow(2, { values: { input: 'short' } })]
        .filter((row) => matchesFilter(filter, row, []))
        .map(({ values }) => values['id']);
      const { rows: found } = await records().search(searchOf({ filter }));
      expect(idsOf(found)).to.have.members(expected);
      expect(await records().count(scopeOf({ filter }))).to.equal(expected.length);
    }
  });

  it('match the beginning and the end of a long text', async () => {
    const [trace = traceRow(1), ...spans] = longTrace();
    const short = [4_095, 4_096, 4_097, 8_193].map((length, at) =>
      traceRow(at + 2, { values: { input: longText(1, length) } }),
    );
    const all = [trace, ...short, traceRow(20)];
    await putRows(records(), [...all, ...spans]);
    const ends = (column: string, text: string): readonly Filter[] =>
      [20, 1_000].flatMap((length) => {
        const first = text.slice(0, length).toWellFormed();
        const last = text.slice(-length).toWellFormed();
        return [
          endIs('starts_with', column, first),
          endIs('starts_with', column, foldCase(first), false),
          endIs('ends_with', column, last),
          { not: endIs('ends_with', column, foldCase(last), false) },
        ];
      });
    const isNull = { kind: 'text', operator: 'is_null', values: [], caseSensitive: true } as const;
    const filters = [
      ...all.flatMap(({ values }) => ends('input', String(values['input'] ?? ''))),
      ...ends('metrics/note', String(trace.metrics['note']?.value)),
      { ...isNull, column: 'metrics/note' },
      { ...isNull, column: 'input' },
    ];
    for (const filter of filters) {
      const expected = all.filter((row) => matchesFilter(filter, row, []));
      expect(await records().count(scopeOf({ filter })), JSON.stringify(filter)).to.equal(
        expected.length,
      );
    }
  });

  it('order texts by their first 4,096 characters', async () => {
    const same = longText(1, 5_000).slice(0, comparedCharactersMax + 500);
    const inputs = [`${same}b`, `${same}a`, 'a', `${same.slice(0, 1_000)}0`];
    await putRows(
      records(),
      inputs.map((input, at) => traceRow(at + 1, { values: { input } })),
    );
    const { rows } = await records().search(
      searchOf({ sort: { column: 'input', ascending: true } }),
    );
    expect(idsOf(rows)).to.deep.equal([4, 2, 1, 3].map(traceId));
  });

  it('end a page before its rows exceed the byte limit, after at least one row', async () => {
    const rows = Array.from({ length: 12 }, (_, at) =>
      traceRow(at + 1, { values: { input: 'x'.repeat(megabyte) } }),
    );
    await putRows(records(), rows);
    const ids: unknown[] = [];
    for (let more = true; more;) {
      const page = await records().search(searchOf({ offset: ids.length }));
      expect(page.rows.length).to.be.within(1, 8);
      ids.push(...idsOf(page.rows));
      ({ more } = page);
    }
    expect(ids).to.deep.equal(idsOf(rows).toReversed());
    const least = await records().search(searchOf({ limit: 3, bytesMax: 10 }));
    expect(least.rows).to.have.length(1);
    expect(least.more).to.equal(true);
    const last = await records().search(searchOf({ offset: 11, bytesMax: 10 }));
    expect(last).to.deep.equal({ rows: [rows[0]], more: false });
  });

  it('size the traces of a session in pages', async () => {
    const session = sessionId(1);
    const traces = Array.from({ length: 5 }, (_, at) => {
      const created_at = `2026-03-0${at + 1}T12:00:00.000000Z`;
      const trace = traceRow(9 - at, {
        values: { session_id: session, created_at },
        spanCount: 1,
      });
      return [trace, spanRow(trace, 1, { values: { input: 'y'.repeat(megabyte) } })] as const;
    });
    const lone = traceRow(20, { values: { session_id: traceId(20) } });
    await putRows(records(), [sessionRow(1), lone, ...traces.flat()]);
    const names = traces.map(([trace]) => trace.group);
    const weights = await records().groupBytes([
      ...names,
      streamNameOf('trace', project, traceId(99)),
    ]);
    expect([...weights.keys()].toSorted()).to.deep.equal(names.toSorted());
    for (const bytes of weights.values()) expect(bytes).to.be.within(megabyte, 1.1 * megabyte);
    const page = async (asked: Partial<SessionPlan>) => {
      const plan = { project, session, offset: 0, limit: 100, ...asked };
      const { traces: found, more } = await records().sessionPage(plan);
      for (const { group, bytes } of found) expect(bytes).to.equal(weights.get(group));
      return { names: found.map(({ group }) => group), more };
    };
    expect(await page({})).to.deep.equal({ names, more: false });
    expect(await page({ offset: 1, limit: 2 })).to.deep.equal({
      names: names.slice(1, 3),
      more: true,
    });
    const bytesMax = 2.5 * megabyte;
    expect(await page({ bytesMax })).to.deep.equal({ names: names.slice(0, 2), more: true });
    expect(await page({ offset: 4, bytesMax: 1 })).to.deep.equal({
      names: names.slice(4),
      more: false,
    });
    expect(await page({ session: sessionId(2) })).to.deep.equal({ names: [], more: false });
    const found = await records().rowsByGroup(names);
    expect(names.map((name) => found.get(name))).to.deep.equal(traces);
  });

  it('delete long texts with their records', async () => {
    await putRows(records(), longTrace());
    const [trace = traceRow(1)] = longTrace();
    const replaced = { ...trace, values: { ...trace.values, input: 'short' } };
    await put(records(), { groups: [{ group: trace.group, fresh: false, rows: [replaced] }] });
    const wanted = contains('input', [String(trace.values['input']).slice(100_000, 100_020)]);
    expect(await records().count(scopeOf({ filter: wanted }))).to.equal(0);
    expect((await records().search(searchOf())).rows).to.deep.equal([replaced]);
    await put(records(), { deletedRuns: [run] });
    expect((await records().search(searchOf())).rows).to.deep.equal([]);
  });
};
