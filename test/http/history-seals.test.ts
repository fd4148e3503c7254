import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../engines/sqlite/database.js';
import { opsCaller } from '../../cli/ops-client.js';
import type { HistoryProof } from '../../contract/history-seals.js';
import { digestOf, sha256 } from '../../engines/node/digest.js';
import { trustedKey } from '../../engines/node/seal-keys.js';
import { entryHash } from '../../ledger/chain/chain.js';
import { base64, fromBase64, parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import { parseInclusionProof } from '../../ledger/chain/proof-text.js';
import { isConsistent, isIncluded, leafHash } from '../../ledger/chain/merkle-tree.js';
import { sealCommand, type SealResult } from '../../ledger/sealing.js';
import { startApp, type App } from '../support/app.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';

type Sealed = { readonly size: number; readonly root: string; readonly note: string };
type Keys = { readonly keys: readonly { readonly vkey: string; readonly kid: string }[] };
type Consistency = {
  readonly from_root: string;
  readonly to_root: string;
  readonly hashes: readonly string[];
};

describe('seals of the history over HTTP', () => {
  let cast: TwoOrganizations;
  before(async () => {
    cast = await startTwoOrganizations();
  });
  after(() => cast.close());

  const seal = async (): Promise<SealResult> =>
    (await opsCaller(cast.app.opsUrl, { opsToken: null })(sealCommand, {})) as SealResult;
  const changed = async ({ as }: RoleUser, name: string): Promise<string> =>
    (await as.call<{ readonly id: string }>('POST', '/v2/projects', { body: { name } })).body.id;
  const checkpoint = async ({ as }: RoleUser) => {
    const { body, headers } = await as.call<string>('GET', '/v2/history/checkpoint');
    expect(headers['content-type']).to.match(/^text\/plain/);
    const parsed = parseCheckpoint(body);
    if (parsed === null) throw new Error(`no checkpoint: ${body}`);
    return { ...parsed, note: body };
  };
  const proofOf = async ({ as }: RoleUser, query: string): Promise<HistoryProof> =>
    (await as.call<HistoryProof>('GET', `/v2/history/proof?${query}`)).body;

  it('answer 404 before the first, then a checkpoint verifiable by its key alone', async () => {
    const { auditor } = cast.ours;
    expect((await auditor.as.send('GET', '/v2/history/checkpoint')).status).to.equal(404);
    await changed(cast.ours.admin, 'first');
    expect(await seal()).to.deep.include({ refused: [] });
    const found = await checkpoint(auditor);
    const { keys } = (await auditor.as.call<Keys>('GET', '/v2/history/keys')).body;
    expect(keys).to.have.length(1);
    expect(trustedKey(keys[0]?.vkey ?? '').hasSigned(found)).to.equal(true);
    expect(trustedKey(JSON.stringify(keys[0])).hasSigned(found)).to.equal(true);
    expect(found.origin).to.match(
      new RegExp(`^assay\\.local/[0-9a-f-]{36}/${auditor.organizationId}$`),
    );
    // The keys are for everybody, the history is not.
    const open = await fetch(`${cast.app.url}/v2/history/keys`);
    expect(open.status).to.equal(200);
    expect((await cast.ours.user.as.send('GET', '/v2/history/checkpoint')).status).to.equal(403);
  });

  it('are listed newest first, page by page, each organisation its own', async () => {
    const { admin } = cast.ours;
    await changed(cast.theirs.admin, 'of the others');
    for (const name of ['second', 'third', 'fourth']) {
      await changed(admin, name);
      await seal();
    }
    const found: Sealed[] = [];
    for (let cursor = ''; ;) {
      const path = `/v2/history/seals?limit=2${cursor}`;
      type Page = { readonly seals: readonly Sealed[]; readonly next_cursor: string | null };
      const { body } = await admin.as.call<Page>('GET', path);
      found.push(...body.seals);
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    const sizes = found.map(({ size }) => size);
    expect(sizes.length).to.be.at.least(4);
    expect(sizes).to.deep.equal([...new Set(sizes)].sort((one, other) => other - one));
    expect(found[0]?.note).to.equal((await checkpoint(admin)).note);
    for (const { note, root, size } of found) {
      const read = parseCheckpoint(note);
      expect(read && base64(read.root)).to.equal(root);
      expect(read?.size).to.equal(size);
    }
    expect((await admin.as.send('GET', '/v2/history/seals?cursor=x')).status).to.equal(422);
    const theirs = await checkpoint(cast.theirs.admin);
    expect(theirs.origin).to.include(cast.theirs.admin.organizationId);
    expect(theirs.origin).to.not.equal((await checkpoint(admin)).origin);
  });

  it('prove that a stored checkpoint is a prefix of the history', async () => {
    const { admin } = cast.ours;
    const kept = await checkpoint(admin);
    await changed(admin, 'fifth');
    await seal();
    const now = await checkpoint(admin);
    const path = `/v2/history/consistency?from=${kept.size}&to=${now.size}`;
    const { body } = await admin.as.call<Consistency>('GET', path);
    const hashes = body.hashes.flatMap((one) => fromBase64(one) ?? []);
    expect(body.from_root).to.equal(base64(kept.root));
    expect(body.to_root).to.equal(base64(now.root));
    expect(isConsistent(sha256, kept, now, hashes)).to.equal(true);
    expect((await admin.as.send('GET', '/v2/history/consistency?from=1&to=9999')).status).to.equal(
      404,
    );
    for (const wrong of [`from=${now.size}&to=${kept.size}`, 'from=0&to=1']) {
      const { status } = await admin.as.send('GET', `/v2/history/consistency?${wrong}`);
      expect(status, wrong).to.equal(422);
    }
  });

  it('prove one entry with its salt and data, by number and by event', async () => {
    const { admin } = cast.ours;
    await changed(admin, 'proven');
    await seal();
    const { size } = await checkpoint(admin);
    for (let seq = 1; seq <= size; seq += 1) {
      const { entry, salt, data, proof } = await proofOf(admin, `seq=${seq}`);
      expect(entry.seq).to.equal(seq);
      const text = parseInclusionProof(proof);
      if (text === null) throw new Error(`no proof: ${proof}`);
      const hash = entryHash(sha256, entry.prev_hash, entry.seq, {
        eventId: entry.event_id,
        type: entry.event_type,
        schema: entry.schema_version,
        stream: entry.stream,
        revision: entry.revision,
        at: entry.at,
        actor: entry.actor,
        organizationId: entry.organization_id,
        requestId: entry.request_id,
        correlationId: entry.correlation_id,
        causationId: entry.causation_id,
        dataDigest: entry.data_digest,
      });
      expect(toHex(hash)).to.equal(entry.hash);
      const leaf = { index: text.index, hash: leafHash(sha256, hash) };
      expect(isIncluded(sha256, leaf, text.checkpoint, text.hashes), String(seq)).to.equal(true);
      if (data === null) continue;
      const digest = createHash('sha256')
        .update(fromHex(salt ?? ''))
        .update(data);
      expect(digest.digest('hex')).to.equal(entry.data_digest);
    }
    const last = await proofOf(admin, `seq=${size}`);
    expect(await proofOf(admin, `event_id=${last.entry.event_id}`)).to.deep.equal(last);
  });

  it('hide entries of seals, secrets and projects from callers without the right', async () => {
    const { admin, user, manager } = cast.ours;
    const project = await changed(manager, 'theirs alone');
    await changed(admin, 'after it');
    await seal();
    const { size } = await checkpoint(admin);
    const entries = await Promise.all(
      Array.from({ length: size }, (_, at) => proofOf(admin, `seq=${at + 1}`)),
    );
    const own = entries.find(({ entry }) => entry.project_id === project);
    const seq = `seq=${own?.entry.seq}`;
    expect((await manager.as.send('GET', `/v2/history/proof?${seq}`)).status).to.equal(200);
    expect((await user.as.send('GET', `/v2/history/proof?${seq}`)).status).to.equal(404);
    expect((await cast.theirs.admin.as.send('GET', `/v2/history/proof?seq=9999`)).status).to.equal(
      404,
    );
    const secret = entries.find(({ entry }) => entry.event_type === 'ApiKeyCreated');
    expect(secret).to.deep.include({ salt: null, data: null });
    for (const wrong of ['', 'seq=0', `seq=1&event_id=${own?.entry.event_id}`]) {
      const { status } = await admin.as.send('GET', `/v2/history/proof?${wrong}`);
      expect(status, wrong).to.equal(422);
    }
    expect((await admin.as.send('GET', '/v2/history/proof?seq=1&size=3')).status).to.equal(404);
  });
});

describe('a history that was tampered with', () => {
  let app: App;
  beforeEach(async () => {
    app = await startApp();
  });
  afterEach(() => app.close());

  const ready = async () => {
    const answer = await fetch(`${app.opsUrl}/readyz`);
    type State = { readonly status: string; readonly seals: SealResult };
    return { http: answer.status, ...((await answer.json()) as State) };
  };
  const seal = async (): Promise<SealResult> =>
    (await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {})) as SealResult;
  const made = (name: string) => app.client.call('POST', '/v2/projects', { body: { name } });
  const checkpoint = async () =>
    (await app.client.call<string>('GET', '/v2/history/checkpoint')).body;

  const tamper = (name: string): void => {
    const database = openDatabase(join(app.dir, 'log.sqlite'));
    database.exec(`UPDATE events SET data = replace(data, '${name}', 'FORGE')
      WHERE data LIKE '%${name}%'`);
    database.close();
  };

  it('is not sealed, and reported until the service restarts', async () => {
    await made('before');
    expect((await seal()).refused).to.deep.equal([]);
    expect(await ready()).to.include({ http: 200, status: 'ready' });
    const kept = await checkpoint();
    const { position } = await made('meant');
    await app.client.call('GET', '/v2/history', {
      headers: { 'X-Min-Position': String(position) },
    });
    tamper('meant');
    const { refused } = await seal();
    expect(refused).to.have.length(1);
    expect(refused[0]?.why).to.match(/its data are not those of its digest/);
    expect(await ready()).to.deep.include({ http: 503, status: 'not_ready', seals: { refused } });
    // The check of the start may have met the change: then nothing is written any more.
    const after = await app.client.send('POST', '/v2/projects', { body: { name: 'after' } });
    expect(after.status).to.be.oneOf([200, 503]);
    expect(await seal()).to.deep.include({ refused });
    expect(await checkpoint()).to.equal(kept);
    const metrics = await (await fetch(`${app.opsUrl}/metrics`)).text();
    expect(metrics).to.match(/^assay_seal_refused_total 1$/m);
    expect(metrics).to.match(/^assay_scrub_mismatches_total [1-9]/m);
  });

  it('tells the operator which seal and entry a rebuild of the history contradicts', async () => {
    await made('sealed');
    await seal();
    const database = openDatabase(join(app.dir, 'log.sqlite'));
    type Row = { readonly pos: number; readonly salt: Buffer; readonly data: string };
    const of = "SELECT pos, salt, data FROM events WHERE data LIKE '%sealed%' AND type = ?";
    const { pos, salt, data } = database.prepare<[string], Row>(of).get('ProjectCreated') as Row;
    const other = data.replace('sealed', 'forged');
    // One transaction: the running check must not see the change beside the old checksum.
    database.transaction('immediate', () => {
      database
        .prepare('UPDATE events SET data = ?, digest = ? WHERE pos = ?')
        .run(other, digestOf(salt, other), pos);
      database.prepare('DELETE FROM sums WHERE pos = ?').run(pos);
    });
    database.close();
    const told = await opsCaller(app.opsUrl, { opsToken: null })('rebuild', {
      name: 'history',
    }).catch((error: unknown) => String(error));
    expect(told).to.match(/history contradicts seal \d+ of [0-9a-f-]{36}: /);
  });

  it('says what is wrong with the log where the fold has not met it yet', async () => {
    const operate = opsCaller(app.opsUrl, { opsToken: null });
    await operate('pause', { name: 'history' });
    await made('paused');
    tamper('paused');
    const request = { name: 'history', reason: 'to meet it', operator: 'test' };
    await operate('resume', request).catch(() => 'it met the change at once');
    const said = await seal().catch((error: unknown) => String(error));
    expect(said).to.match(/the log is damaged.*position \w+: its d/);
    expect((await ready()).http).to.equal(503);
  });
});
