import { expect } from 'chai';
import {
  contentMembers,
  withContents,
  type ContentMember,
} from '../../kernel/records/record-contents.js';
import type { Records } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import {
  idsOf,
  project,
  putRows,
  searchOf,
  sessionRow,
  spanRow,
  traceId,
  traceRow,
} from '../support/record-rows.js';

const chat = (text: string) => [
  { role: 'system', content: text },
  { role: 'user', content: text },
];

/** A record with every content, as long as `text`. */
const fullRow = (row: RecordRow, text: string): RecordRow => ({
  ...row,
  values: {
    ...row.values,
    name: 'n',
    input: text,
    output: text,
    ...(row.kind !== 'session' && { dataset_input: text, dataset_output: text }),
    ...(row.kind === 'llm' && { tools: JSON.stringify([{ text }]), model: 'm' }),
  },
  metrics: { cost: { value: 0.5, rolledUp: false } },
  userMetadata: { key: 'value' },
  errors: { toxicity: { code: 1_001, message: 'why' } },
  body: {
    input: chat(text),
    output_as: 'message:assistant',
    redacted_input: text,
    redacted_output: text,
    dataset_metadata: { text },
    ...(row.kind === 'llm' && { events: [{ type: 'message', text }] }),
    revision: 3,
  },
});

/** Enough for all records of a test. */
const bytesMax = 2 ** 26;

const choices: readonly (readonly ContentMember[])[] = [
  [],
  ['input'],
  ['output', 'dataset_output'],
  ['redacted_input', 'events'],
  ['tools', 'dataset_metadata'],
  contentMembers,
];

/** Searches that read only some contents of the records. */
export const recordContentSuite = (records: () => Records): void => {
  const rowsOf = (text: string): readonly RecordRow[] => {
    const trace = traceRow(1, { spanCount: 2 });
    const plain = { values: { model: 'm', input: 'x' }, body: { output: 'y' } };
    return [
      fullRow(trace, text),
      fullRow(spanRow(trace, 1), text),
      spanRow(trace, 2, plain),
      fullRow(sessionRow(1), text),
    ];
  };
  const contentsIn = ({ values, body }: RecordRow): readonly string[] =>
    contentMembers.filter((member) => values[member] !== undefined || body[member] !== undefined);

  // Short ones, some that are in pieces, and some beyond what one document of an engine holds.
  for (const length of [10, 5_000, 400_000]) {
    it(`reads no contents but the wanted ones, of ${length} characters`, async () => {
      const rows = rowsOf('ΟΔ🎉x'.repeat(length).slice(0, length).toWellFormed());
      await putRows(records(), rows);
      for (const contents of length < 10_000 ? choices : choices.slice(0, 4)) {
        for (const population of ['trace', 'span', 'session'] as const) {
          const expected = rows.filter(
            ({ kind }) => kind === population || (kind === 'llm' && population === 'span'),
          );
          const sort = { column: 'id', ascending: true };
          const search = searchOf({ population, contents, sort, bytesMax });
          const found = await records().search(search);
          expect(found.rows).to.deep.equal(expected.map((row) => withContents(row, contents)));
          for (const row of found.rows) {
            expect(contents).to.include.members([...contentsIn(row)]);
          }
        }
      }
      const whole = await records().search(searchOf({ population: 'span', bytesMax }));
      expect(whole.rows).to.have.deep.members(rows.filter(({ kind }) => kind === 'llm'));
    });
  }

  it('reads a record without the rest of its group, up to a number of bytes', async () => {
    const trace = traceRow(1, { spanCount: 2 });
    const rows = [fullRow(trace, 'a'), fullRow(spanRow(trace, 1), 'b'.repeat(9_000))];
    const session = fullRow(sessionRow(1), 'c');
    await putRows(records(), [...rows, spanRow(trace, 2), session]);
    for (const row of [...rows, session]) {
      const population = row.kind === 'llm' ? 'span' : (row.kind as 'trace' | 'session');
      const plan = { project, population, id: String(row.values['id']), alone: true } as const;
      const found = await records().groupRows({ ...plan, bytesMax });
      expect(found?.rows).to.deep.equal([row]);
      const bytes = found?.bytes ?? 0;
      expect(bytes).to.be.within(10, row.kind === 'llm' ? 200_000 : 5_000);
      const least = await records().groupRows({ ...plan, bytesMax: bytes - 1 });
      expect(least).to.deep.equal({ group: row.group, bytes, rows: null });
      const missing = { ...plan, id: traceId(99), bytesMax };
      expect(await records().groupRows(missing)).to.equal(null);
    }
  });

  it('fills a page by the bytes that are read, not by those that are stored', async () => {
    const trace = traceRow(1, { spanCount: 20 });
    const spans = Array.from({ length: 20 }, (_, at) =>
      fullRow(spanRow(trace, at + 1), 'x'.repeat(10_000)),
    );
    await putRows(records(), [trace, ...spans]);
    const page = { population: 'span', bytesMax: 65_536 } as const;
    const whole = await records().search(searchOf(page));
    expect(whole.more).to.equal(true);
    expect(whole.rows.length).to.be.lessThan(5);
    const outline = await records().search(searchOf({ ...page, contents: [] }));
    expect(outline.more).to.equal(false);
    expect(idsOf(outline.rows)).to.have.members([...idsOf(spans)]);
  });
};
