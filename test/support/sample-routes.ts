import { Type } from 'typebox';
import { operation, readRoute, writeRoute, type Route } from '../../contract/operation.js';
import { Fault, valueFault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { id, instant, nullish, name } from '../../kernel/schema-types.js';
import { operationDefaults } from './small-service.js';

const echoBody = Type.Object({
  text: Type.Optional(Type.String()),
  at: nullish(instant),
  any: Type.Optional(Type.Unknown()),
});
const echo = operation({
  ...operationDefaults,
  operationId: 'echo',
  method: 'POST',
  path: '/v2/echo',
  kind: 'r',
  body: echoBody,
  response: Type.Object({ got: Type.Unknown() }),
});
const findThing = operation({
  ...operationDefaults,
  operationId: 'findThing',
  method: 'GET',
  path: '/v2/projects/{project_id}/things/{thing_name}',
  kind: 'r',
  requires: 'viewer',
  params: Type.Object({ project_id: id('ProjectId'), thing_name: name() }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })) }),
  response: Type.Object({ name: Type.String(), limit: Type.Integer(), role: Type.String() }),
});
const makeThing = operation({
  ...operationDefaults,
  operationId: 'makeThing',
  method: 'POST',
  path: '/v2/projects/{project_id}/things',
  kind: 'w',
  requires: 'editor',
  params: Type.Object({ project_id: id('ProjectId') }),
  body: Type.Object({ name: name(), why: nullish(Type.String()) }),
  response: Type.Object({ id: id('ThingId') }),
  faults: ['already-exists'],
});
const dropThing = operation({
  ...operationDefaults,
  operationId: 'dropThing',
  method: 'DELETE',
  path: '/v2/things/all',
  kind: 'w',
  response: Type.Null(),
  status: 204,
});
const anyThing = operation({
  ...operationDefaults,
  operationId: 'anyThing',
  method: 'PUT',
  path: '/v2/things/{thing_id}',
  kind: 'w',
  requires: 'admin',
  params: Type.Object({ thing_id: id('ThingId') }),
  response: Type.Object({}),
});
const profile = operation({
  ...operationDefaults,
  operationId: 'profile',
  method: 'GET',
  path: '/v2/users/{user_id}',
  kind: 'r',
  requires: 'self',
  params: Type.Object({ user_id: id('UserId') }),
  response: Type.Object({}),
});
const readSet = operation({
  ...operationDefaults,
  operationId: 'readSet',
  method: 'GET',
  path: '/v2/datasets/{dataset_id}',
  kind: 'r',
  requires: 'dataset-read',
  params: Type.Object({ dataset_id: id('DatasetId') }),
  response: Type.Object({}),
});
const publicThing = operation({
  ...operationDefaults,
  operationId: 'publicThing',
  method: 'GET',
  path: '/v2/public',
  schemes: [],
  requires: 'public',
  kind: 'r',
  response: Type.Object({ ok: Type.Boolean() }),
});
const wrong = operation({
  ...operationDefaults,
  operationId: 'wrong',
  method: 'POST',
  path: '/v2/wrong',
  kind: 'r',
  body: Type.Object({ how: Type.String() }),
  response: Type.Object({ id: id('ThingId') }),
});

/** One of each kind that the guard tells apart; the handlers do nothing. */
export const sampleRoutes: readonly Route[] = [
  readRoute(
    echo,
    [{ name: 'echoes' }],
    async ({ body }) => ({ body: { got: body } }),
    ({ body }) =>
      body.text === 'unlucky'
        ? [{ loc: ['body', 'text'], msg: 'Value error, unlucky', type: 'value_error' }]
        : [],
  ),
  readRoute(findThing, [], async ({ params, query, project }) => ({
    body: { name: params.thing_name, limit: query.limit ?? 5, role: project?.role ?? '' },
  })),
  writeRoute(makeThing, async ({ body, mint }) => {
    if (body.name === 'taken') throw new Fault('already-exists', 'This name is taken');
    if (body.name === 'odd') throw valueFault(['body', 'name'], 'odd');
    return { body: { id: mint('ThingId') }, position: '0000000000000007' as Position };
  }),
  writeRoute(dropThing, async () => ({ body: null })),
  writeRoute(anyThing, async () => ({ body: {} })),
  readRoute(profile, [], async () => ({ body: {} })),
  readRoute(readSet, [], async () => ({ body: {} })),
  readRoute(publicThing, [], async () => ({ body: { ok: true } })),
  readRoute(wrong, [], async ({ body }) => {
    if (body.how === 'defect') throw new Error(`canary ${body.how}`);
    if (body.how === 'fault') throw new Fault('conflict', 'Not declared');
    return { body: { id: body.how } as never };
  }),
];
