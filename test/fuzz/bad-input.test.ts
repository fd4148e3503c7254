import { expect } from 'chai';
import { Type } from 'typebox';
import { seededRandom } from '../../kernel/seeded-random.js';
import { operation, writeRoute } from '../../contract/operation.js';
import { id, instant, nullish, name, oneOf } from '../../kernel/schema-types.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { operationDefaults, project, smallService } from '../support/small-service.js';
import { fuzzOperation } from './bad-input.js';

const node = Type.Cyclic(
  {
    Node: Type.Union([
      Type.Object({ type: Type.Literal('leaf'), text: Type.String({ maxLength: 50 }) }),
      Type.Object({ type: Type.Literal('fork'), nodes: Type.Array(Type.Ref('Node')) }),
    ]),
  },
  'Node',
);
const sow = operation({
  ...operationDefaults,
  operationId: 'sow',
  method: 'POST',
  path: '/v2/projects/{project_id}/trees',
  kind: 'w',
  requires: 'editor',
  params: Type.Object({ project_id: id('ProjectId') }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })) }),
  body: Type.Object({
    name: name(),
    at: nullish(instant),
    kind: oneOf(['oak', 'elm']),
    height: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
    labels: nullish(Type.Record(Type.String(), Type.String())),
    roots: Type.Array(node, { maxItems: 5 }),
  }),
  response: Type.Object({ roots: Type.Integer() }),
});
const list = operation({
  ...operationDefaults,
  operationId: 'list',
  method: 'GET',
  path: '/v2/projects/{project_id}/trees',
  kind: 'r',
  requires: 'viewer',
  params: Type.Object({ project_id: id('ProjectId') }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })) }),
  response: Type.Array(Type.String()),
});

const plant = operation({
  ...operationDefaults,
  operationId: 'plant',
  method: 'POST',
  path: '/v2/projects/{project_id}/plants',
  kind: 'w',
  requires: 'editor',
  params: Type.Object({ project_id: id('ProjectId') }),
  form: {
    files: { file: { required: true, bytesMax: 1_000 } },
    parts: Type.Object({
      name: nullish(name()),
      height: nullish(Type.Integer({ minimum: 0, maximum: 100 })),
      kinds: nullish(Type.Array(oneOf(['oak', 'elm']), { maxItems: 3 })),
      roots: nullish(Type.Object({ deep: Type.Boolean() })),
    }),
  },
  response: Type.Object({ bytes: Type.Integer() }),
});

describe('bad input', () => {
  it('is refused in the shape of the contract, whatever it is', async () => {
    const service = await smallService([
      writeRoute(sow, async ({ body }) => ({ body: { roots: body.roots.length } })),
      writeRoute(list, async () => ({ body: [] })),
      writeRoute(plant, async ({ files }) => ({
        body: { bytes: files['file']?.bytes.length ?? 0 },
      })),
    ]);
    const seed = drawSeed();
    for (const operation of [sow, list, plant]) {
      const tally = await fuzzOperation({
        baseUrl: service.url,
        credential: { 'Service-API-Key': 'editor' },
        operation,
        runs: runs(200),
        rng: seededRandom(seed).next,
        known: { project_id: project },
      }).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
      // Both legal and illegal requests were drawn, else the fuzz would prove nothing.
      expect(tally).to.include.keys('200', '422');
    }
    await service.close();
  });
});
