import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { operations } from '../../contract/all.js';
import type { Operation } from '../../contract/operation.js';
import { appPassword, startApp, type App } from '../support/app.js';
import type { Ask, Reply } from '../support/client.js';
import { formBytes, formType, type FormPart } from '../support/multipart-forms.js';
import { createOneOfEach } from '../support/one-of-each-object.js';
import { adminEmail, basic, cookie, openLoginClient } from '../support/logins.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { closedObjectsIn, misspell, mutantsOf, type Mutant } from './misspelling.js';
import { addressOf, validValue, type Rng } from './valid-request.js';

type Raw = Readonly<Record<string, unknown>>;
type Shot = {
  readonly what: Mutant['what'];
  readonly path: string;
  readonly ask: Ask;
  /** The name in the answer, unless it refuses the request. */
  readonly named: string;
};

/** Requests of one operation for each drawn body, and for its address. */
const shotsMax = 4;
/** An unknown trace or span is waited for, 2 s each time (contract 5.6, rule 4). */
const waiting = new Set(['updateTrace', 'logSpans', 'updateSpan']);

const leaf = (type: string, name: string, operator: string, value: unknown) => ({
  filter: { type, name, operator, value },
});
/** Nodes of every kind that filters traces, with leaves of every kind. */
const filterTree = {
  and_: [
    { not: leaf('text', 'name', 'eq', 'none') },
    { or: [leaf('date', 'created_at', 'gte', '2020-01-01'), leaf('id', 'id', 'contains', '-')] },
    { any_span: { not_: leaf('collection', 'tags', 'contains', ['none']) } },
    { filter: { type: 'fully_annotated', user_ids: null } },
    leaf('number', 'metrics/reward', 'between', [0, 1]),
    { not: leaf('boolean', 'is_complete', 'eq', false) },
  ],
};

/** Bodies that the operation takes: its example, one with filters, and some that are drawn. */
const bodiesOf = (operation: Operation, known: Raw, rng: Rng): readonly unknown[] => {
  const { body, example, operationId } = operation;
  if (body === null) return [];
  const named = withKnown(example, known);
  const { properties = {} } = body as { readonly properties?: Raw };
  const filtered =
    'filter_tree' in properties ? [{ ...(named as object), filter_tree: filterTree }] : [];
  const drawn = Array.from({ length: runs(waiting.has(operationId) ? 0 : 2) }, () =>
    validValue(body, rng, known),
  );
  return [...(example === null ? [] : [named]), ...filtered, ...drawn];
};

/** Ids of examples name nothing; those of this service do. */
const withKnown = (value: unknown, known: Raw): unknown => {
  if (Array.isArray(value)) return value.map((one) => withKnown(one, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      Object.hasOwn(known, name) && typeof one === 'string' ? known[name] : withKnown(one, known),
    ]),
  );
};

const encoded = (path: readonly string[]): string => path.map(encodeURIComponent).join('/');

const partsOf = (operation: Operation, texts: Raw): readonly FormPart[] => [
  ...Object.keys(operation.form?.files ?? {}).map((name) => ({
    name,
    content: 'a,b\n1,2\n',
    fileName: 'a.csv',
  })),
  ...Object.entries(texts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => ({
      name,
      content: typeof value === 'string' ? value : JSON.stringify(value),
    })),
];

/** Request with this body; null where the operation cannot have it. */
const askOf = (operation: Operation, { text, path, what }: Mutant): Ask | null => {
  if (operation.form === null && operation.encoding === 'json') return { body: text };
  if (path.length > 1 || what === 'misplaced') return null;
  const body = JSON.parse(text) as Raw;
  const name = path[0] ?? '';
  if (operation.form !== null) {
    const parts = partsOf(operation, body);
    const again = parts.filter((part) => what === 'twice' && part.name === name);
    const bytes = formBytes([...again, ...parts]);
    return { body: bytes, headers: { 'Content-Type': formType } };
  }
  const pairs = Object.entries(body).map(
    ([member, value]) => `${member}=${encodeURIComponent(String(value))}`,
  );
  const again = pairs.filter((pair) => what === 'twice' && pair.startsWith(`${name}=`));
  return {
    body: [...again, ...pairs].join('&'),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  };
};

/** Shots at one body: `shotsMax` at most, chosen at random. */
const bodyShots = (operation: Operation, address: string, value: unknown, rng: Rng) => {
  const closed = operation.body === null ? [] : closedObjectsIn(operation.body, value);
  // A part of a form has a text, and null is none.
  const isSent = (path: readonly string[]) =>
    operation.form === null || memberOf(value, path) !== null;
  const mutants = closed.flatMap((object) =>
    object.members
      .filter((member) => isSent([...object.path, member]))
      .flatMap((member) => mutantsOf(value, closed, object, member, rng)),
  );
  const shots = mutants.flatMap((mutant): readonly Shot[] => {
    const ask = askOf(operation, mutant);
    const isList = operation.form !== null && mutant.what === 'twice';
    if (ask === null || (isList && Array.isArray(memberOf(value, mutant.path)))) return [];
    return [{ what: mutant.what, path: address, ask, named: encoded(mutant.path) }];
  });
  const inQuery = Object.entries((closed[0]?.path.length === 0 ? value : {}) as Raw)
    .filter(([name]) => !Object.hasOwn(operation.query.properties, name))
    .map(([name, one]): Shot => {
      const { [name]: _gone, ...rest } = value as Raw;
      const text = JSON.stringify(rest);
      const ask = askOf(operation, { what: 'misspelt', text, path: [name] }) ?? {};
      const pair = `${name}=${encodeURIComponent(String(one))}`;
      const path = `${address}${address.includes('?') ? '&' : '?'}${pair}`;
      return { what: 'misplaced', path, ask, named: `?${name}` };
    });
  return sampled([...shots, ...inQuery], rng, runs(shotsMax));
};

const memberOf = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Raw | undefined)?.[key], value);

const sampled = <T>(all: readonly T[], rng: Rng, most: number): readonly T[] => {
  const left = [...all];
  while (left.length > most) left.splice(Math.floor(rng() * left.length), 1);
  return left;
};

/** Parameters misspelt, twice, or sent as a body. */
const queryShots = (operation: Operation, params: Raw, body: Ask, known: Raw, rng: Rng) => {
  const properties = operation.query.properties as Readonly<Record<string, never>>;
  const address = (query: Raw) => addressOf(operation.path, params, query);
  const shots = Object.entries(properties).flatMap(([name, schema]): readonly Shot[] => {
    const value = Object.hasOwn(known, name) ? known[name] : validValue(schema, rng, known);
    if (value === null) return [];
    const wrong = misspell(name, rng);
    const isList = (schema as { readonly type?: string }).type === 'array';
    const pair = `${name}=${encodeURIComponent(value as string)}`;
    const isKnown = Object.hasOwn(properties, wrong);
    return [
      ...(isKnown
        ? []
        : [{ what: 'misspelt' as const, path: address({ [wrong]: value }), named: `?${wrong}` }]),
      ...(isList
        ? []
        : [{ what: 'twice' as const, path: `${address({})}?${pair}&${pair}`, named: `?${name}` }]),
      ...(operation.body === null
        ? [{ what: 'misplaced' as const, path: address({}), named: '/', own: { [name]: value } }]
        : []),
    ].map(({ own = null, ...shot }: Omit<Shot, 'ask'> & { readonly own?: Raw | null }) => ({
      ...shot,
      ask: own === null ? body : { body: own },
    }));
  });
  const unknown: Shot = {
    what: 'misplaced',
    path: address({ filters: 'x' }),
    ask: body,
    named: '?filters',
  };
  const mayHave = Object.hasOwn(properties, 'filters') ? [] : [unknown];
  return sampled([...shots, ...mayHave], rng, runs(shotsMax));
};

const validAsk = (operation: Operation, value: unknown): Ask =>
  value === undefined
    ? {}
    : (askOf(operation, { what: 'misspelt', text: JSON.stringify(value), path: [''] }) ?? {});

/** Fault of an answer; null: it refuses the request, or names what it left out. */
const silenceIn = (operation: Operation, reply: Reply<unknown>, named: string): string | null => {
  if (reply.status >= 400 && reply.status < 500) return null;
  if (reply.status >= 300) return `answered ${reply.status}`;
  const header = String(reply.headers['x-ignored-members'] ?? '').split(', ');
  if (!header.includes(named)) return `did not name it: ${header.join()}`;
  const { body } = reply;
  const { section, protobuf, requires } = operation;
  const isPublic = requires === 'public' && operation.kind === 'r';
  const isOurs = !section.startsWith('4.') && protobuf === null && !isPublic;
  if (!isOurs || typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { ignored_members: members } = body as { readonly ignored_members?: readonly string[] };
  return members?.includes(named) === true ? null : 'named it in the header alone';
};

describe('a misspelt, repeated or misplaced member on every operation', function () {
  this.timeout(240_000);
  let app: App;
  let known: Raw;
  before(async () => {
    app = await startApp();
    known = await createOneOfEach(app.client, 'misspelt');
  });
  after(() => app.close());

  const credential = async ({ schemes }: Operation): Promise<Readonly<Record<string, string>>> => {
    if (schemes.includes('K')) return { 'Service-API-Key': app.apiKey };
    if (schemes.includes('P')) return basic(adminEmail, appPassword);
    if (!schemes.includes('C')) return {};
    const door = openLoginClient(app);
    const login = await door.logIn();
    door.close();
    return cookie(login.cookie);
  };
  const shotsOf = (operation: Operation, rng: Rng): readonly Shot[] => {
    const params = validValue(operation.params, rng, known) as Raw;
    const address = addressOf(operation.path, params, {});
    const bodies = bodiesOf(operation, known, rng);
    return [
      ...bodies.flatMap((value) => bodyShots(operation, address, value, rng)),
      ...queryShots(operation, params, validAsk(operation, bodies[0]), known, rng),
    ];
  };

  it('is refused, or named in the answer', async () => {
    const rng = seededRandom(drawSeed('misspelt members')).next;
    const silent: string[] = [];
    const tally = { operations: 0, requests: 0, refused: 0, misspelt: 0, twice: 0, misplaced: 0 };
    for (const operation of operations) {
      tally.operations += 1;
      for (const { what, path, ask, named } of shotsOf(operation, rng)) {
        const headers = { ...(await credential(operation)), ...ask.headers };
        const reply = await app.client.send(operation.method, path, { ...ask, headers });
        tally.requests += 1;
        tally[what] += 1;
        tally.refused += reply.status >= 400 ? 1 : 0;
        const silence = silenceIn(operation, reply, named);
        if (silence === null) continue;
        const sent = Buffer.isBuffer(ask.body) ? '(form)' : JSON.stringify(ask.body);
        silent.push(`${operation.operationId} ${what} ${named}: ${silence}\n${path} ${sent}`);
      }
    }
    process.stdout.write(`    ${JSON.stringify(tally)}\n`);
    expect(silent.slice(0, 10).join('\n'), `${silent.length} answers`).to.equal('');
    expect(tally.operations).to.equal(operations.length);
    // Neither all refused nor all taken: both halves of the rule were asked for.
    expect(tally.refused).to.be.within(tally.requests / 10, (tally.requests * 9) / 10);
  });
});
