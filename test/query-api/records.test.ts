import { expect } from 'chai';
import type { RecordSearch, RecordView } from '../../contract/record-reads.js';
import { unclosedObject } from '../../kernel/json-text.js';
import type { JsonParts } from '../../kernel/json-chunks.js';
import { streamNameOf } from '../../kernel/ports.js';
import type {
  ColumnValue,
  Population,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import { treeLevelsMax } from '../../kernel/records/span-tree.js';
import type { Json } from '../../kernel/schema-types.js';
import { planSearch } from '../../query-api/records/plan.js';
import { spanTree, traceTree } from '../../query-api/records/tree.js';
import { truncateTexts, recordViewOf } from '../../query-api/records/views.js';
import { textOf } from '../support/json-parts.js';

const planned = (body: RecordSearch, population: Population = 'trace') =>
  planSearch(body, population, new Map());
const refused = (body: RecordSearch, population: Population = 'trace') => {
  const { complaints } = planned(body, population);
  expect(complaints).to.have.length(1);
  return expect(complaints[0]);
};

describe('planning a search of records', () => {
  it('plans the first 100, newest first, by default', () =>
    expect(planned({}).plan).to.deep.equal({
      population: 'trace',
      kinds: null,
      from: null,
      to: null,
      filter: null,
      sort: null,
      offset: 0,
      limit: 100,
    }));

  it('sorts ascending by a column of either spelling', () => {
    expect(planned({ sort: { column_id: 'name' } }).plan?.sort).to.deep.equal({
      column: 'name',
      ascending: true,
    });
    expect(planned({ sort: { name: 'metrics/any', ascending: false } }).plan?.sort).to.deep.equal({
      column: 'metrics/any',
      ascending: false,
    });
    expect(planned({ sort: { name: 'id', column_id: 'id' } }).plan?.sort?.column).to.equal('id');
  });

  it('refuses columns that cannot be sorted by, at the member that the client used', () => {
    const at = (...loc: readonly string[]) => ['body', 'sort', ...loc];
    refused({ sort: { column_id: 'tags' } }).to.deep.equal({
      loc: at('column_id'),
      msg: "Value error, column 'tags' cannot be sorted by",
      type: 'value_error',
    });
    refused({ sort: { name: 'nowhere' } }).to.deep.equal({
      loc: at('name'),
      msg: "Value error, unknown column 'nowhere'",
      type: 'value_error',
    });
    refused({ sort: { name: 'status_code' } }, 'session').to.include({
      msg: "Value error, column 'status_code' does not apply to sessions",
    });
    refused({ sort: {} }).to.deep.equal({
      loc: at('column_id'),
      msg: 'Field required',
      type: 'missing',
    });
    refused({ sort: { name: 'id', column_id: 'name' } }).to.deep.include({ loc: at() });
  });
});

const project = 'p';
const row = (
  kind: RecordKind,
  id: string,
  values: Readonly<Record<string, ColumnValue>> = {},
): RecordRow => ({
  group: streamNameOf('trace', project, 't'),
  ordinal: 0,
  kind,
  values: { id, created_at: '2026-03-01T00:00:00.000000Z', ...values },
  metrics: {},
  userMetadata: {},
  errors: {},
  annotators: [],
  spanCount: 0,
  body: {},
});
const span = (id: string, parent: string, values: Readonly<Record<string, ColumnValue>> = {}) =>
  row('tool', id, { parent_id: parent, ...values });
const idOnly = ({ values }: RecordRow): RecordView => ({ id: String(values['id']) });
const shown = (parts: JsonParts<RecordRow> | null): Json =>
  JSON.parse(parts === null ? 'null' : textOf(parts, (row) => unclosedObject(idOnly(row)))) as Json;

/** `t(a(b) c)`: ids in order, children in brackets. */
const drawn = (node: Json): string => {
  const { id, spans } = node as { readonly id: string; readonly spans: readonly Json[] };
  return spans.length === 0 ? id : `${id}(${spans.map(drawn).join(' ')})`;
};
const drawnTrace = (...rows: readonly RecordRow[]) => drawn(shown(traceTree(rows)));

describe('the tree of a trace', () => {
  const trace = row('trace', 't');

  it('puts each span under its parent, whatever the order of arrival', () =>
    expect(drawnTrace(span('c', 'b'), span('b', 'a'), span('a', 't'), trace)).to.equal(
      't(a(b(c)))',
    ));

  it('orders siblings by step number, missing last, then by time, then as they came', () =>
    expect(
      drawnTrace(
        trace,
        span('d', 't', { created_at: '2026-03-01T00:00:00.000001Z' }),
        { ...span('b', 't'), ordinal: 2 },
        { ...span('c', 't'), ordinal: 1 },
        span('a', 't', { step_number: 10, created_at: '2026-03-02T00:00:00.000000Z' }),
        span('z', 't', { step_number: 9 }),
      ),
    ).to.equal('t(z a c b d)'));

  it('distinguishes a span with the id of its trace from the trace', () =>
    expect(drawnTrace(trace, span('t', 't'), span('a', 't'))).to.equal('t(t a)'));

  it('flattens spans below its deepest level', () => {
    const chain = Array.from({ length: treeLevelsMax + 5 }, (_, index) =>
      span(`s${index}`, index === 0 ? 't' : `s${index - 1}`),
    );
    const tree = drawnTrace(trace, ...chain);
    expect(tree.match(/\(/g)).to.have.length(treeLevelsMax);
    expect(tree.match(/s\d+/g)).to.have.length(treeLevelsMax + 5);
  });

  it('is null without the trace', () => expect(traceTree([span('a', 't')])).to.equal(null));

  it('has the spans below a span', () => {
    const rows = [trace, span('a', 't'), span('b', 'a'), span('c', 't')];
    expect(drawn(shown(spanTree(rows, 'a')))).to.equal('a(b)');
    expect(spanTree(rows, 't')).to.equal(null);
  });
});

describe('a record as read', () => {
  it('has counts only on request', () => {
    const trace: RecordRow = { ...row('trace', 't'), spanCount: 3 };
    const session: RecordRow = { ...row('session', 's'), body: { traces: 2 } };
    expect(recordViewOf(trace, true, [])).to.include({ num_spans: 3 });
    expect(recordViewOf(trace, false, [])).to.include({ num_spans: null, fully_annotated: false });
    expect(recordViewOf(session, true, [])).to.include({ num_traces: 2 });
    expect(recordViewOf(session, false, [])).to.include({ num_traces: null });
    expect(recordViewOf(span('a', 't'), true, [])).to.not.have.any.keys('num_spans', 'num_traces');
  });

  it('is truncated to 1,000 characters a text on request, without splitting a character', () => {
    const long = '😀'.repeat(1_001);
    const cut = truncateTexts({
      input: [{ role: 'user', content: long }],
      output: long,
      name: long,
      dataset_input: null,
      dataset_metadata: { source: long },
    });
    expect(cut).to.deep.equal({
      input: [{ role: 'user', content: '😀'.repeat(1_000) }],
      output: '😀'.repeat(1_000),
      name: long,
      dataset_input: null,
      dataset_metadata: { source: '😀'.repeat(1_000) },
    });
  });
});
