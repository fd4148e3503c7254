import { expect } from 'chai';
import type { TSchema } from 'typebox';
import { components, operations } from '../../contract/all.js';
import { compileIgnoredMembers } from '../../engines/ajv/ignored-members.js';

const bodyOf = (operationId: string): TSchema => {
  const body = operations.find((one) => one.operationId === operationId)?.body;
  if (body == null) throw new Error(`${operationId} has no body`);
  return body;
};
const ignoredIn = (operationId: string, body: unknown) =>
  compileIgnoredMembers(bodyOf(operationId), components)(body).map(({ path }) => path.join('/'));

describe('ignored members of a body', () => {
  it('are found in traces, in their spans at any depth, and in messages', () => {
    const body = {
      log_steam_id: 'x',
      traces: [
        {
          input: 'a',
          spans: [
            {
              type: 'workflow',
              input: [{ role: 'user', content: [{ type: 'text', text: 'a', size: 1 }] }],
              spans: [{ type: 'llm', modle: 'm', input: [{ role: 'user', content: 'a', nam: 1 }] }],
            },
          ],
        },
        { inptu: 'a', metrics: { any: 1 }, user_metadata: { any: 'x' } },
      ],
    };
    expect(ignoredIn('logTraces', body)).to.deep.equal([
      'log_steam_id',
      'traces/0/spans/0/input/0/content/0/size',
      'traces/0/spans/0/spans/0/modle',
      'traces/0/spans/0/spans/0/input/0/nam',
      'traces/1/inptu',
    ]);
    expect(body, 'and taken out').to.deep.equal({
      traces: [
        {
          input: 'a',
          spans: [
            {
              type: 'workflow',
              input: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
              spans: [{ type: 'llm', input: [{ role: 'user', content: 'a' }] }],
            },
          ],
        },
        { metrics: { any: 1 }, user_metadata: { any: 'x' } },
      ],
    });
  });

  it('exclude content that is stored as sent: tools, events, maps', () => {
    const span = {
      type: 'llm',
      tools: [{ type: 'function', function: { name: 'f' } }],
      events: [{ type: 'reasoning', content: 'x', further: [1] }],
      user_metadata: { __proto__x: 'y' },
    };
    expect(ignoredIn('logTraces', { traces: [{ spans: [span] }] })).to.deep.equal([]);
  });

  it('are found in filters, which one schema cannot validate', () => {
    const leaf = { type: 'text', name: 'input', operator: 'eq', value: 'x', case_sensitve: false };
    const tree = { and_: [{ not: { filter: { ...leaf } } }] };
    expect(
      ignoredIn('searchTraces', {
        filters: [{ ...leaf }],
        filter_tree: tree,
        sort: { culumn_id: 1 },
      }),
    ).to.deep.equal([
      'filters/0/case_sensitve',
      'filter_tree/and_/0/not/filter/case_sensitve',
      'sort/culumn_id',
    ]);
    const filters = [{ name: 'created_at', operator: 'lt', value: 'x', valeu: 'y' }];
    expect(ignoredIn('searchExperiments', { filters })).to.deep.equal(['filters/0/valeu']);
  });

  it('do not occur in the example of any operation', () => {
    for (const { operationId, body, bodyBy, example } of operations) {
      const schema = bodyBy?.bodies['openai'] ?? body;
      if (schema === null) continue;
      const ignored = compileIgnoredMembers(schema, components)(structuredClone(example));
      expect(ignored, operationId).to.deep.equal([]);
    }
  });

  it('are reported up to 21, and all are removed', () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, at]));
    expect(ignoredIn('logTraces', body)).to.have.length(21);
    expect(body).to.deep.equal({});
  });

  it('are found in any JSON, whether it fits the schema or not', () => {
    for (const value of [
      null,
      1,
      'a',
      [],
      [[]],
      { traces: 1 },
      { traces: [1, null, { spans: {} }] },
    ]) {
      expect(ignoredIn('logTraces', value), JSON.stringify(value)).to.deep.equal([]);
    }
  });
});
