import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openRequestAuthorizer } from '../../command-api/access/request-authorizer.js';
import { openRightsCache } from '../../command-api/access/rights-cache.js';
import { openCredentialRateLimit } from '../../command-api/access/credential-rate-limit.js';
import { visibilityRules } from '../../service/api.js';
import { seededRandom } from '../../kernel/seeded-random.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { readConfig } from '../../config.js';
import { operations } from '../../contract/all.js';
import type { Credential, RequestAuthorizer } from '../../contract/request-ports.js';
import type { Operation, Scheme } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { openAccessTokens } from '../../engines/jsonwebtoken/access-tokens.js';
import { authorize } from '../../contract/authorize.js';
import { systemClock } from '../../engines/node/clock.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets, ensureSecretKey } from '../../engines/node/secrets.js';
import { secretKeyFile } from '../../engines/open.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import { validRequest } from '../fuzz/valid-request.js';
import { badCredentials, password } from '../support/bad-credentials.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import { clientOf, type Client, type Reply } from '../support/client.js';
import { createOneOfEach } from '../support/one-of-each-object.js';
import { authorAt } from '../support/test-log.js';
import { basic, bearer, type Token } from '../support/logins.js';
import { verdictOn, type Caller, type Verdict } from '../support/role-table.js';
import { drawSeed } from '../support/test-environment.js';
import { readAllPages } from '../support/log-pages.js';

type Known = Readonly<Record<string, unknown>>;
/** A caller with every credential that they may come with. */
type Player = Caller & { readonly credentials: readonly Credential[] };

const asked = operations.filter(({ schemes }) => schemes.some((scheme) => scheme !== 'C'));

describe('the permission matrix', function () {
  const seed = drawSeed('valid requests of the matrix');
  let cast: TwoOrganizations;
  let nobody: Client;
  let players: readonly Player[];
  let known: Known;
  let authorizer: RequestAuthorizer;
  let close: () => Promise<void>;

  before(async () => {
    cast = await startTwoOrganizations();
    nobody = clientOf({ url: cast.app.url, apiKey: null, connections: 8 });
    ({ players, known } = await assemble(cast));
    ({ authorizer, close } = await gateOf(cast));
  });
  after(async () => {
    await close();
    nobody.close();
    await cast.close();
  });

  const idsFor = ({ path }: Operation): Known =>
    path.includes('/org-jobs/') ? { ...known, job_id: known['org_job_id'] } : known;
  const send = (operation: Operation, credential: Credential): Promise<Reply<unknown>> => {
    const request = fitting.get(operation.operationId);
    if (request === undefined) throw new Error('no request that fits');
    const headers = { ...request.ask.headers, ...headersOf(credential) };
    return nobody.send(operation.method, request.path, { ...request.ask, headers });
  };
  /** Requests that nothing can be said against but who asks. */
  const fitting = new Map<string, ReturnType<typeof validRequest>>();
  const fit = async (operation: Operation): Promise<void> => {
    // A read may be asked by whom it is about; what a stranger writes is refused before it is read.
    const asker = operation.kind === 'w' ? cast.theirs.read_only : cast.ours.admin;
    const rng = seededRandom(seed).next;
    for (let times = 0; times < 200; times += 1) {
      const drawn = validRequest(operation, rng, idsFor(operation));
      // The example keeps rules beyond the schemas, such as that of an e-mail address.
      const isDrawn = times < 100 || operation.body === null || operation.example === null;
      const request = isDrawn ? drawn : { ...drawn, ask: { body: operation.example } };
      fitting.set(operation.operationId, request);
      const { headers } = request.ask;
      const reply = await asker.as.send(operation.method, request.path, {
        ...request.ask,
        headers: { ...headers, 'X-Forwarded-For': '192.0.2.7' },
      });
      if (reply.status !== 422) return;
    }
    throw new Error(`ASSAY_TEST_SEED=${seed}: no legal request of ${operation.operationId}`);
  };

  for (const operation of asked) {
    const { operationId, requires } = operation;
    it(`admits permitted callers with any credential: ${operationId} (${requires})`, async () => {
      for (const player of players) {
        const verdict = verdictOn(operation, player);
        if (verdict === null) continue;
        for (const credential of player.credentials.filter(isOf(operation.schemes))) {
          const principal = await authorizer.authenticate(credential, '192.0.2.1');
          const decided = await decision(operation, principal, idsFor(operation), authorizer);
          expect(decided, `${player.name} with ${credential.scheme}`).to.equal(verdict);
        }
      }
    });
  }

  for (const operation of asked) {
    it(`refuses others with the code of the contract: ${operation.operationId}`, async () => {
      await fit(operation);
      for (const [turn, player] of players.entries()) {
        const verdict = verdictOn(operation, player);
        // A write that passes would change what the next one asks about.
        if (verdict === null || (verdict === 'pass' && operation.kind === 'w')) continue;
        // The authorizer knows all ways to come in; over HTTP each caller takes another one in
        // turn.
        const ways = player.credentials.filter(isOf(operation.schemes));
        const credential = ways[(turn + asked.indexOf(operation)) % ways.length];
        if (credential === undefined) continue;
        const { status, body } = await send(operation, credential);
        const who = `${player.name} with ${credential.scheme}: ${JSON.stringify(body)}`;
        if (verdict !== 'pass') expect(status, who).to.equal(verdict);
        else expect(status, who).to.be.oneOf(readable);
      }
    });
  }

  it('requires a credential that the operation lists and that is valid', async () => {
    const bad = await badCredentials(cast, asked.length);
    for (const [index, operation] of asked.entries()) {
      const wrong = bad(index);
      const path = operation.path.replaceAll(/\{\w+\}/g, randomUUID());
      const ask = async (headers: Readonly<Record<string, string>>) => {
        // Failures are counted by address, so each comes from its own.
        const client = clientOf({ url: cast.app.url, apiKey: null, connections: 1 });
        const reply = await client.send<{ type: string }>(operation.method, path, { headers });
        client.close();
        return `${reply.status} ${reply.body.type.replace('urn:assay:problem:', '')}`;
      };
      expect(await ask({}), operation.operationId).to.equal('401 unauthenticated');
      for (const [scheme, name, headers, code] of wrong) {
        const expected = operation.schemes.includes(scheme) ? code : 'unauthenticated';
        const what = `${operation.operationId} ${name}`;
        expect(await ask(headers), what).to.equal(`401 ${expected}`);
      }
      const both = { ...wrong[0]?.[2], Authorization: 'Bearer x' };
      expect(await ask(both), operation.operationId).to.equal('401 ambiguous_credentials');
    }
  });

  it('leaves events that each name the history they belong to', async () => {
    const { reader, close: closeLog } = await openReadOnlyLog(
      readConfig({ ASSAY_DATA_DIR: cast.app.dir }),
    );
    // Without those that were there before the service.
    const { requestId: planted } = authorAt();
    const events = (await readAllPages(reader)).filter(
      ({ metadata }) => metadata.request_id !== planted,
    );
    await closeLog();
    const silent = events.filter(({ metadata }) => metadata.organization_id === undefined);
    expect(silent.map(({ type }) => type)).to.deep.equal([]);
    // Names of the whole installation are claimed before anybody is known.
    const nobodys = events
      .filter(({ metadata }) => metadata.organization_id === null)
      .map(({ type }) => type);
    const strangers = ['NameClaimed', 'NameReleased', ...sealsOwn];
    expect(nobodys.filter((type) => !strangers.includes(type))).to.deep.equal([]);
    const others = events.flatMap(({ type, data, metadata }) => {
      const { organization_id: own } = data as { readonly organization_id?: string | null };
      return own == null || own === metadata.organization_id ? [] : [type];
    });
    expect(others).to.deep.equal([]);
  });
});

const isOf =
  (schemes: readonly Scheme[]) =>
  ({ scheme }: Credential): boolean =>
    schemes.includes(scheme);

/** Events of the service's own history, and of the keys of all histories. */
const sealsOwn = [
  'EarlierErasuresNamed',
  'HistorySealed',
  'InstallationNamed',
  'SealingKeyPublished',
];

/** Statuses of reads that admit the caller; some known objects are of another kind. */
const readable = [200, 204, 404, 409];
const decision = async (
  operation: Operation,
  principal: Principal,
  params: Known,
  authorizer: RequestAuthorizer,
): Promise<Verdict> => {
  const named = Object.fromEntries(
    Object.entries(params).filter(([name]) => operation.path.includes(`{${name}}`)),
  );
  try {
    await authorize(operation, principal, named, authorizer);
    return 'pass';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.code === 'not-found' ? 404 : 403;
  }
};

const headersOf = (credential: Credential): Readonly<Record<string, string>> => {
  if (credential.scheme === 'K') return { 'Service-API-Key': credential.key };
  if (credential.scheme === 'B') return bearer(credential.token);
  return basic(credential.email, credential.password);
};

/** The authorizer of the running service once more, over the same log and secrets. */
const gateOf = async ({
  app,
}: TwoOrganizations): Promise<{ authorizer: RequestAuthorizer; close: () => Promise<void> }> => {
  const { reader, close } = await openReadOnlyLog(readConfig({ ASSAY_DATA_DIR: app.dir }));
  const secrets = openSecrets(await ensureSecretKey(diskFiles, secretKeyFile(app.dir)));
  const clock = systemClock;
  const authorizer: RequestAuthorizer = openRequestAuthorizer({
    log: reader,
    clock,
    ids: randomIds,
    secrets,
    passwords: openPasswords({ pepper: secrets.passwordPepper, clock }),
    tokens: openAccessTokens(secrets.accessTokenSeed),
    rateLimit: openCredentialRateLimit(clock),
    rightsCache: openRightsCache(clock),
    sights: visibilityRules(reader as EventLog, (principal, id) =>
      authorizer.visibleProject(principal, id),
    ),
  });
  return { authorizer, close };
};

/** People of each role in the project and in the organisation, their keys, and strangers. */
const assemble = async (
  cast: TwoOrganizations,
): Promise<{ players: readonly Player[]; known: Known }> => {
  const anybody = clientOf({ url: cast.app.url, apiKey: null });
  const hire = async (name: string, organizationRole: Caller['organizationRole']) => {
    const email = `${name.replaceAll(' ', '-')}-${randomUUID()}@example.org`;
    const invited = await cast.ours.admin.as.call<{
      invitations: readonly { invitation_token: string; user_id: string }[];
    }>('POST', '/v2/invite_users', { body: { emails: [email], role: organizationRole } });
    const [invitation] = invited.body.invitations;
    const { body } = await anybody.call<Token>('POST', '/v2/invitations/accept', {
      body: { token: invitation?.invitation_token, password },
    });
    const headers = bearer(body.access_token);
    const key = await anybody.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: name },
      headers,
    });
    const credentials: readonly Credential[] = [
      { scheme: 'K', key: key.body.api_key },
      { scheme: 'B', token: body.access_token },
      { scheme: 'P', email, password },
    ];
    return { name, organizationRole, id: invitation?.user_id ?? '', headers, credentials };
  };
  const roles = ['viewer', 'annotator', 'editor'] as const;
  const owner = await hire('owner', 'user');
  const ownerKey = owner.credentials[0] as Extract<Credential, { scheme: 'K' }>;
  const asOwner = clientOf({ url: cast.app.url, apiKey: ownerKey.key });
  const made = await createOneOfEach(asOwner, 'matrix');
  const job = await cast.ours.admin.as.call<{ job_id: string }>(
    'POST',
    '/v2/org-jobs/delete-by-metadata',
    { body: { metadata_key: 'nobody', metadata_value: 'has this' } },
  );
  const emails = [`${randomUUID()}@example.org`];
  const known = {
    ...made,
    emails,
    org_job_id: job.body.job_id,
    // Of lists and of histories: a page that there is, and a beginning.
    cursor: null,
    from: 1,
    from_seq: null,
    to_seq: null,
    to: 1,
  };
  const project = String(made['project_id']);
  const elsewhere = await asOwner.call<{ id: string }>('POST', '/v2/projects', {
    body: { name: 'elsewhere' },
  });
  const collaborators = [];
  for (const role of roles) collaborators.push({ ...(await hire(role, 'user')), role });
  collaborators.push({ ...(await hire('read_only owner', 'read_only')), role: 'owner' as const });
  collaborators.push({ ...(await hire('auditor editor', 'auditor')), role: 'editor' as const });
  await asOwner.call('POST', `/v2/projects/${project}/users`, {
    body: collaborators.map(({ id, role }) => ({ user_id: id, role })),
  });
  const others = [];
  for (const role of ['read_only', 'auditor', 'user', 'manager', 'admin'] as const) {
    others.push({ ...(await hire(`only ${role}`, role)), role: null });
  }
  const bind = async (
    project_id: string | null,
    project_role: string,
  ): Promise<readonly Credential[]> => {
    const { body } = await anybody.call<{ api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'bound', project_id, project_role },
      headers: owner.headers,
    });
    const token = await anybody.call<Token>('POST', '/v2/login/api_key', {
      body: { api_key: body.api_key },
    });
    return [
      { scheme: 'K', key: body.api_key },
      { scheme: 'B', token: token.body.access_token },
    ];
  };
  const usual = { bound: null, limited: null, isCreator: false, isForeign: false } as const;
  const players: Player[] = [
    { ...owner, ...usual, role: 'owner', isCreator: true },
    ...collaborators.map((one) => ({ ...one, ...usual })),
    ...others.map((one) => ({ ...one, ...usual })),
  ];
  const ofOwner = { ...owner, ...usual, role: 'owner', isCreator: true } as const;
  for (const bound of [...roles, 'owner'] as const) {
    const credentials = await bind(project, bound);
    players.push({ ...ofOwner, name: `key bound as ${bound}`, bound, credentials });
  }
  for (const limited of ['viewer', 'annotator', 'editor'] as const) {
    const credentials = await bind(null, limited);
    players.push({ ...ofOwner, name: `key limited to ${limited}`, limited, credentials });
  }
  const away = await bind(elsewhere.body.id, 'editor');
  players.push({ ...ofOwner, name: 'key bound elsewhere', bound: 'elsewhere', credentials: away });
  const { theirs } = cast;
  for (const role of ['admin', 'manager', 'read_only'] as const) {
    const token = await anybody.call<Token>('POST', '/v2/login/api_key', {
      body: { api_key: theirs[role].key },
    });
    players.push({
      ...usual,
      name: `${role} of another organisation`,
      organizationRole: role,
      role: null,
      isForeign: true,
      credentials: [
        { scheme: 'K', key: theirs[role].key },
        { scheme: 'B', token: token.body.access_token },
      ],
    });
  }
  anybody.close();
  asOwner.close();
  return { players, known };
};
