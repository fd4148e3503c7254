import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { seededRandom } from '../../kernel/seeded-random.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import { operations } from '../../contract/all.js';
import type { Operation } from '../../contract/operation.js';
import { below, oneOf, validRequest } from '../fuzz/valid-request.js';
import { expectReplayEqual } from '../support/app.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import type { Ask, Client, Reply } from '../support/client.js';
import { formBytes } from '../support/multipart-forms.js';
import { createOneOfEach } from '../support/one-of-each-object.js';
import { drawSeed } from '../support/test-environment.js';
import { readAllPages } from '../support/log-pages.js';
import { runs } from '../support/runs.js';

type Known = Readonly<Record<string, unknown>>;

/**
 * Operations that make records of the ids they get in the caller's own project, which are unique
 * per project only (contract 3.1), or that wait 2 s for a late record.
 */
const makesOfIds = ({ size }: Operation): boolean => size === 'ingest';
/** They would take from the caller what the other calls ask with. */
const selfish = new Set(['deleteProject', 'deleteGroup', 'removeUser', 'changeUser']);
const asked = operations.filter(
  ({ schemes, operationId }) => schemes.includes('K') && !selfish.has(operationId),
);

describe('isolation of one organisation from another', function () {
  this.timeout(180_000);
  const seed = drawSeed('calls across organisations');
  let cast: TwoOrganizations;
  let ours: Known;
  let theirs: Known;
  let stranger: Client;
  before(async () => {
    cast = await startTwoOrganizations();
    stranger = cast.theirs.admin.as;
    ours = await createOneOfEach(cast.ours.admin.as, 'ours');
    theirs = await createOneOfEach(stranger, 'theirs');
    const job = await cast.ours.admin.as.call<{ job_id: string }>(
      'POST',
      '/v2/org-jobs/delete-by-metadata',
      { body: { metadata_key: 'nobody', metadata_value: 'has this' } },
    );
    ours = { ...ours, org_job_id: job.body.job_id };
  });
  after(async () => {
    await expectReplayEqual(cast.app);
    await cast.close();
  });

  it(`answers ids of another organisation like ids that do not exist`, async () => {
    const rng = seededRandom(seed).next;
    const names = Object.keys(ours).filter((name) => isId(ours[name]));
    let compared = 0;
    for (let call = 0; compared < runs(400); call += 1) {
      const operation = oneOf(rng, asked);
      const draw = below(rng, 2 ** 31);
      // Some of the ids are the caller's own, so that all checks of a path have their turn.
      const borrowed = new Set(names.filter(() => rng() < 0.5));
      const invented = Object.fromEntries(names.map((name) => [name, randomUUID()]));
      const label = `n${call.toString(36).padStart(6, '0')}`;
      const known = (source: Known, name: string): Known => ({
        ...theirs,
        ...Object.fromEntries([...borrowed].map((id) => [id, source[id]])),
        ...jobOf(operation, source),
        name,
        emails: [`${name}@example.org`],
      });
      const [one, other] = [`${label}a`, `${label}b`];
      const foreign = validRequest(operation, seededRandom(draw).next, known(ours, one));
      const random = validRequest(operation, seededRandom(draw).next, known(invented, other));
      const isOwn = makesOfIds(operation) && !borrowed.has('project_id');
      if (isOwn || !mentions(foreign, ours, names)) continue;
      compared += 1;
      const seen = await stranger.send(operation.method, foreign.path, foreign.ask);
      const blank = await stranger.send(operation.method, random.path, random.ask);
      const plain = (reply: Reply<unknown>, ids: Known, name: string) =>
        told(reply, [...names.map((id) => ids[id]), ids['org_job_id']], name);
      expect(
        plain(seen, ours, one),
        `ASSAY_TEST_SEED=${seed} ${operation.operationId} ${foreign.path}`,
      ).to.deep.equal(plain(blank, invented, other));
      const text = JSON.stringify(seen.body);
      expect(text, operation.operationId).not.to.include(cast.ours.admin.email);
      expect(text, operation.operationId).not.to.include('"ours"');
    }
  });

  it('leaves no trace of calls in the other’s streams', async () => {
    const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: cast.app.dir }));
    const streams = new Set<string>();
    for (const { stream, metadata } of await readAllPages(reader)) {
      if (metadata.actor.id === cast.theirs.admin.id) streams.add(stream);
    }
    await close();
    const touched = [...streams].filter((name) =>
      ['project_id', 'run_id', 'group_id', 'user_id', 'dataset_id'].some((id) =>
        name.includes(String(ours[id])),
      ),
    );
    expect(touched).to.deep.equal([]);
  });

  it('takes over no member that an operation does not name', async () => {
    const marker = `probe-${randomUUID()}`;
    const rng = seededRandom(seed).next;
    const tried = asked.filter(({ body }) => body !== null);
    const refused: string[] = [];
    for (const operation of tried) {
      let taken = 0;
      let status = 0;
      // Until it was taken some times: what is refused for another reason shows little.
      for (let times = 0; times < runs(20) && taken < runs(3); times += 1) {
        const known = { ...theirs, name: `p${randomUUID()}`, emails: [`${randomUUID()}@x.org`] };
        const fits = validRequest(operation, rng, { ...known, ...jobOf(operation, ours) });
        const ask = withProbes(operation, fits.ask, marker);
        const reply = await stranger.send(operation.method, fits.path, ask);
        const label = `ASSAY_TEST_SEED=${seed} ${operation.operationId} ${String(ask.body)}`;
        expect(reply.status, label).to.be.lessThan(500);
        expect(JSON.stringify(reply.body), label).not.to.include(marker);
        status = reply.status;
        taken += status < 300 ? 1 : 0;
      }
      if (taken === 0) refused.push(`${operation.operationId}: ${status}`);
    }
    expect(refused.length, refused.join()).to.be.lessThan(tried.length / 3);
    expect(Object.hasOwn(Object.prototype, 'polluted')).to.equal(false);
    const { id, organizationId } = cast.theirs.admin;
    const me = await stranger.call('GET', `/v2/users/${id}`);
    expect(me.body).to.include({ organization_id: organizationId, role: 'admin' });
    const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: cast.app.dir }));
    expect(JSON.stringify(await readAllPages(reader))).not.to.include(marker);
    await close();
  });
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const isId = (value: unknown): boolean => typeof value === 'string' && uuid.test(value);

/** `job_id` names an org job where the path says so. */
const jobOf = ({ path }: Operation, source: Known): Known =>
  path.includes('/org-jobs/') ? { job_id: source['org_job_id'] ?? randomUUID() } : {};

type Sent = ReturnType<typeof validRequest>;
const mentions = ({ path, ask }: Sent, ids: Known, names: readonly string[]): boolean => {
  const body = Buffer.isBuffer(ask.body) ? ask.body.toString() : JSON.stringify(ask.body);
  const text = `${path} ${body}`;
  return [...names, 'org_job_id'].some((name) => text.includes(String(ids[name])));
};

/** Content of an answer, without what is different in every answer. */
const told = (reply: Reply<unknown>, ids: readonly unknown[], name: string) => {
  const { 'x-request-id': _request, date: _date, ...headers } = reply.headers;
  const neutral = ids.reduce<string>(
    (text, id) => (isId(id) ? text.replaceAll(String(id), 'ID') : text),
    JSON.stringify({ headers: positionless(headers), body: reply.body }).replaceAll(name, 'NAME'),
  );
  const text = neutral
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"R"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'AT');
  return { status: reply.status, text: reply.status < 300 ? 'fine' : text };
};
const positionless = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([header]) => !/position|etag|content-length|retry-after/.test(header),
    ),
  );

const readOnly = [
  'id',
  'organization_id',
  'created_by',
  'created_at',
  'updated_at',
  'permissions',
  'role',
  'roles',
  'owner',
  'owner_id',
  'is_admin',
  'admin',
  'user_id',
  'project_id',
  'organization_role',
  'scopes',
  'value_hash',
  'password_hash',
  'token_hash',
  'revoked',
  'live',
  'deleted',
  'verified',
  'email_is_verified',
  'actor',
  'metadata',
  'position',
  'revision',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '$where',
  '$ne',
  '$gt',
  '$set',
  'ancestors',
  'lineage',
  'bookmark',
  'kind',
  'stream',
  'schema',
  'request_id',
  'tenant',
  'tenant_id',
  'internal',
  'debug',
  'sql',
  'query',
  'version',
];
/** Fifty members, without those that the operation does take. */
const probes = ({ body }: Operation, marker: string): Known => {
  const taken = JSON.stringify(body);
  return Object.fromEntries(
    readOnly.filter((name) => !taken.includes(`"${name}"`)).map((name) => [name, marker]),
  );
};

/** The request with the probes in each object whose members the operation names. */
const withProbes = (operation: Operation, ask: Ask, marker: string): Ask => {
  const more = probes(operation, marker);
  if (Buffer.isBuffer(ask.body)) {
    const names = Object.keys(more).slice(0, partsMax);
    const parts = names.map((name) => ({ name, content: marker }));
    return { ...ask, body: Buffer.concat([formBytes(parts).subarray(0, -closing), ask.body]) };
  }
  const text = JSON.stringify(sprinkled(operation.body as unknown as Shape, ask.body, more));
  if (!text.startsWith('{')) return { ...ask, body: text };
  return { ...ask, body: `{"__proto__":{"polluted":"${marker}"},${text.slice(1)}` };
};
/** Parts of a form, of 20 at most. */
const partsMax = 12;
/** Length of the end of a form: `formBytes` of no parts. */
const closing = formBytes([]).length;

type Shape = {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly const?: unknown;
};
const sprinkled = (shape: Shape, value: unknown, more: Known): unknown => {
  if (Array.isArray(value)) {
    return value.map((one) => sprinkled(shape.items ?? {}, one, more));
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties } = shape;
  if (properties === undefined) {
    const branch = shape.anyOf?.find((one) => isLike(one, value as Known));
    return branch === undefined ? value : sprinkled(branch, value, more);
  }
  const inner = Object.entries(value).map(([name, one]: [string, unknown]) => [
    name,
    sprinkled(properties[name] ?? {}, one, more),
  ]);
  return { ...more, ...(Object.fromEntries(inner) as Known) };
};
const isLike = ({ properties }: Shape, value: Known): boolean =>
  properties !== undefined &&
  Object.entries(value).every(([name, one]) => {
    const known = properties[name];
    return known !== undefined && (known.const === undefined || known.const === one);
  });
