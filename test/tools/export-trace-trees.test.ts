import { expect } from 'chai';
import { treesOf, type TreeQueries } from '../../tools/export/trace-trees.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { asLines } from '../support/transfer-commands.js';

const trace = (id: string, count: number): JsonObject => ({ id, num_spans: count, name: 'a' });
const span = (id: string, parent: string, second: number, step: number | null = null) => ({
  id,
  trace_id: 't',
  parent_id: parent,
  created_at: `2026-03-01T09:00:0${second}.000000Z`,
  step_number: step,
});

describe('the trees of an export', () => {
  const exported = async (
    spans: readonly JsonObject[],
    { traces = [trace('t', spans.length)], ids = ['t'] }: Partial<Stored> = {},
  ) => {
    const alone: string[] = [];
    const asks: TreeQueries = {
      tree: async (id) => {
        alone.push(id);
        return id === 'gone' ? null : { id, asked: 'alone' };
      },
      rows: async (kind) =>
        (async function* chunks() {
          yield Buffer.from(asLines(kind === 'spans' ? spans : traces));
        })(),
    };
    const asked = async function* asked() {
      yield* ids;
    };
    return { found: await Array.fromAsync(treesOf(asks, asked())), alone };
  };
  type Stored = { readonly traces: readonly JsonObject[]; readonly ids: readonly string[] };

  it('have siblings by step, then by time, as the service shows them', async () => {
    const late = span('late', 't', 2);
    const below = span('below', 'late', 1);
    const [second, first] = [span('second', 't', 0, 2), span('first', 't', 9, 1)];
    const { found, alone } = await exported([below, late, second, first, span('early', 't', 1)]);
    expect(found[0]).to.deep.include({ id: 't', num_spans: null });
    const spans = found[0]?.['spans'] as readonly JsonObject[];
    const names = ['first', 'second', 'early', 'late'];
    expect(spans.map(({ id }) => id)).to.deep.equal(names);
    expect(spans.at(-1)?.['spans']).to.deep.equal([{ ...below, spans: [] }]);
    expect(alone).to.deep.equal([]);
  });

  it('are requested one by one where records lack them', async () => {
    const deep = Array.from({ length: 600 }, (_, at) => span(`${at}`, at ? `${at - 1}` : 't', 1));
    for (const [spans, count] of [
      [[span('one', 't', 1), span('other', 't', 1)], 2],
      [[span('one', 't', 1)], 2],
      [[span('t', 't', 1)], 1],
      [[span('one', 'elsewhere', 1)], 1],
      [deep, deep.length],
    ] as const) {
      const { found, alone } = await exported(spans, { traces: [trace('t', count)] });
      expect([found, alone]).to.deep.equal([[{ id: 't', asked: 'alone' }], ['t']]);
    }
  });

  it('are exported in order, also deleted and large ones', async () => {
    const ids = Array.from({ length: 250 }, (_, at) => (at === 7 ? 'gone' : `${at}`));
    const traces = ids.filter((id) => id !== 'gone' && id !== '9').map((id) => trace(id, 0));
    const { found, alone } = await exported([], { traces, ids });
    const told = ids.map((id) => (id === 'gone' ? null : id));
    expect(found.map((one) => one?.['id'] ?? null)).to.deep.equal(told);
    expect(alone).to.deep.equal(['gone', '9']);
    const heavy = { ...span('one', 't', 1), input: 'x'.repeat(33 * 1_048_576) };
    expect((await exported([heavy])).alone).to.deep.equal(['t']);
  });
});
