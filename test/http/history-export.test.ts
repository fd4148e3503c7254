import { spawnSync } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { opsCaller } from '../../cli/ops-client.js';
import { writeBundle } from '../../ledger/audit/bundle.js';
import { httpSource } from '../../ledger/audit/sources.js';
import type { BundleHeader, BundleLine, BundleNode } from '../../ledger/chain/bundle.js';
import { sha256 } from '../../engines/node/digest.js';
import { trustedKey } from '../../engines/node/seal-keys.js';
import { parseCheckpoint } from '../../ledger/chain/checkpoint.js';
import { fromHex } from '../../kernel/hex.js';
import { isIncluded, leafHash } from '../../ledger/chain/merkle-tree.js';
import { sealCommand } from '../../ledger/sealing.js';
import {
  startTwoOrganizations,
  type RoleUser,
  type TwoOrganizations,
} from '../support/two-organizations.js';
import { temporaryFolder } from '../support/folder.js';
import { repository } from '../support/test-environment.js';

type First = { readonly begun: BundleHeader; readonly cursor: string };
type Last = { readonly next_cursor: string | null };

describe('export of the history over HTTP', () => {
  let cast: TwoOrganizations;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let project = '';
  let vkey = '';
  before(async () => {
    [cast, folder] = await Promise.all([startTwoOrganizations(), temporaryFolder()]);
    const made = await cast.ours.user.as.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'exported' },
    });
    project = made.body.id;
    await cast.ours.user.as.call('POST', `/v2/projects/${project}/log_streams`, {
      body: { name: 'one' },
    });
    await opsCaller(cast.app.opsUrl, { opsToken: null })(sealCommand, {});
    const keys = await cast.ours.auditor.as.call<{ keys: readonly { vkey: string }[] }>(
      'GET',
      '/v2/history/keys',
    );
    vkey = keys.body.keys[0]?.vkey ?? '';
  });
  after(async () => {
    await cast.close();
    await folder.remove();
  });

  const linesOf = async <T>({ as }: RoleUser, path: string): Promise<readonly T[]> => {
    const { body } = await as.call<string>('GET', `/v2/history/${path}`);
    return body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T);
  };
  const bundled = async (actor: RoleUser, query: string) => {
    const lines = await linesOf<object>(actor, `export${query}`);
    const [first, last] = [lines[0] as First, lines.at(-1) as Last];
    const between = lines.slice(1, -1);
    const entries = between.filter((one) => 'data_digest' in one) as BundleLine[];
    const nodes = between.filter((one) => !('data_digest' in one)) as BundleNode[];
    return { first, last, entries, nodes };
  };

  it('contains everything for an auditor, with data as stored and without secrets', async () => {
    const { auditor } = cast.ours;
    const { first, last, entries, nodes } = await bundled(auditor, '');
    expect(last).to.deep.equal({ next_cursor: null });
    expect(nodes).to.deep.equal([]);
    expect(first.begun).to.include({ organization_id: auditor.organizationId, from: 1 });
    expect(entries.map(({ seq }) => seq)).to.deep.equal(entries.map((_, at) => at + 1));
    for (const { organization_id: whose } of entries)
      expect(whose).to.equal(auditor.organizationId);
    const secrets = entries.filter(({ withheld }) => withheld === 'secret');
    expect(secrets.length).to.be.greaterThan(0);
    for (const { data, salt } of secrets) expect([data, salt]).to.deep.equal([null, null]);
    const again = await linesOf<object>(auditor, `export?cursor=${first.cursor}`);
    expect(again.slice(0, entries.length)).to.deep.equal(entries);
  });

  it('gives an owner the history of their project only', async () => {
    const { entries, nodes } = await bundled(cast.ours.user, `?project_id=${project}`);
    expect(entries.map(({ event_type }) => event_type)).to.include.members([
      'ProjectCreated',
      'LogStreamCreated',
    ]);
    for (const one of entries) expect(one.project_id).to.equal(project);
    expect(nodes.length).to.be.greaterThan(0);
    const status = async ({ as }: RoleUser, query: string): Promise<number> =>
      (await as.send('GET', `/v2/history/export${query}`)).status;
    expect(await status(cast.ours.user, '')).to.equal(403);
    expect(await status(cast.ours.read_only, `?project_id=${project}`)).to.equal(404);
    expect(await status(cast.theirs.admin, `?cursor=${'x'.repeat(10)}`)).to.equal(422);
    const { first } = await bundled(cast.ours.auditor, '');
    expect(await status(cast.theirs.admin, `?cursor=${first.cursor}`)).to.equal(422);
    const cursor = encodeURIComponent(first.cursor);
    expect(await status(cast.ours.user, `?project_id=${project}&cursor=${cursor}`)).to.equal(422);
    expect(await status(cast.ours.auditor, '?resource_type=trace')).to.equal(422);
  });

  it('is bounded by positions or times, and resumes anywhere', async () => {
    const { auditor } = cast.ours;
    const { entries: all } = await bundled(auditor, '');
    const [first, last] = [all[2], all[6]];
    if (first === undefined || last === undefined) throw new Error('too few entries');
    const range = `?from=${first.position}&to=${last.position}`;
    const part = await bundled(auditor, range);
    expect(part.entries).to.deep.equal(all.slice(2, 7));
    expect(part.first.begun).to.include({ scope: 'range', from: 3, to: 7 });
    const members = JSON.parse(Buffer.from(part.first.cursor, 'base64url').toString()) as unknown[];
    // Where to look next and what was given last, as an answer that is cut says it.
    const later = Buffer.from(JSON.stringify([...members.slice(0, -2), 6, 5])).toString(
      'base64url',
    );
    const rest = await linesOf<object>(auditor, `export${range}&cursor=${later}`);
    expect(rest.filter((one) => 'data_digest' in one)).to.deep.equal(all.slice(5, 7));
    const byTime = `?from=${encodeURIComponent(first.at)}&to=${encodeURIComponent(last.at)}`;
    const times = await bundled(
      auditor,
      byTime.replace('from', 'start_time').replace('to', 'end_time'),
    );
    expect((await bundled(auditor, byTime)).entries).to.deep.equal(times.entries);
    expect(times.entries.map(({ seq }) => seq)).to.include.members([3, 4, 5, 6, 7]);
    const beyond = await bundled(auditor, '?from=ffffffffffffffff');
    expect([beyond.entries, beyond.last.next_cursor]).to.deep.equal([[], null]);
    for (const query of [
      'from=yesterday',
      'to=12',
      `${byTime.slice(1)}&start_time=2026-01-01T00:00:00Z`,
    ]) {
      expect((await auditor.as.send('GET', `/v2/history/export?${query}`)).status).to.equal(422);
    }
  });

  it('is a bundle that the verifier accepts, equal to that of audit export --url', async () => {
    const keyFile = join(folder.dir, 'api-key');
    await writeFile(keyFile, `${cast.ours.auditor.key}\n`);
    const { entries: all } = await bundled(cast.ours.auditor, '');
    const [from = '', to = ''] = [all[2]?.position, all[6]?.position];
    const queries: readonly Readonly<Record<string, string>>[] = [
      {},
      { project_id: project },
      { from, to },
    ];
    for (const query of queries) {
      const dir = join(folder.dir, `bundle-${Object.keys(query).join('-')}`);
      const source = await httpSource({ url: cast.app.url, keyFile }, query);
      const manifest = await writeBundle(source, {
        dir,
        gzip: false,
        by: 'a test',
        now: () => '2026-03-01T09:00:00.000000Z',
        asked: query,
        progress: () => undefined,
      });
      expect(manifest.entries).to.be.greaterThan(1);
      const trusted = join(folder.dir, 'vkey');
      await writeFile(trusted, vkey);
      const verifier = join(repository, 'verifier/assay-verify.mjs');
      const { origin } = manifest;
      const args = [verifier, dir, '--key', trusted, '--origin', origin];
      const ran = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(`${ran.stdout.split('\n')[0]}${ran.stderr}`).to.equal(
        `intact: ${manifest.entries} entries of ${origin}`,
      );
      expect(JSON.parse(readFileSync(join(dir, 'keys.json'), 'utf8'))).to.have.property('keys');
      expect(readFileSync(join(dir, 'seals.jsonl'), 'utf8')).to.include('"head_hash"');
    }
  });

  it('feeds collectors, which resume where they ended', async () => {
    type CloudEvent = { id: string; type: string; assayseq: number; data: { event_id: string } };
    const { auditor } = cast.ours;
    const lines = await linesOf<CloudEvent | Last>(auditor, 'feed');
    const events = lines.slice(0, -1) as CloudEvent[];
    const { next_cursor: next } = lines.at(-1) as Last;
    expect(events.map(({ type }) => type)).to.include('assay.ProjectCreated.1');
    for (const { id, data } of events) expect(data.event_id).to.equal(id);
    expect(await linesOf(auditor, `feed?cursor=${next}`)).to.deep.equal([{ next_cursor: next }]);
    await cast.ours.user.as.call('POST', `/v2/projects/${project}/log_streams`, {
      body: { name: 'two' },
    });
    const more = await linesOf<CloudEvent>(auditor, `feed?cursor=${next}`);
    expect(more.slice(0, -1).map(({ type }) => type)).to.deep.equal(['assay.LogStreamCreated.1']);
    type Ocsf = { class_uid: number; type_uid: number; metadata: { uid: string; version: string } };
    const ocsf = (await linesOf<Ocsf>(auditor, 'feed?format=ocsf')).slice(0, -1);
    expect(ocsf.slice(0, events.length).map(({ metadata }) => metadata.uid)).to.deep.equal(
      events.map(({ id }) => id),
    );
    expect([...new Set(ocsf.map((one) => one.class_uid))]).to.include.members([3001, 3004]);
    const made = { name: 'two' };
    type Told = { before: object | null; after: object | null; actor: { email: string | null } };
    const { data } = more[0] as unknown as { data: Told };
    expect(data.before).to.equal(null);
    expect(data.after).to.include(made);
    expect(data.actor.email).to.match(/@/);
    const last = ocsf.at(-1) as unknown as { unmapped: { assay: Told } };
    expect(last.unmapped.assay.after).to.include(made);
    expect((await cast.ours.user.as.send('GET', '/v2/history/feed')).status).to.equal(403);
    expect((await auditor.as.send('GET', '/v2/history/feed?cursor=a')).status).to.equal(422);
  });

  it('certifies an erasure: which entries, their proofs, and a signed statement', async () => {
    const { user, auditor } = cast.ours;
    const root = `/v2/projects/${project}`;
    const made = async (path: string, body: object): Promise<string> =>
      (await user.as.call<{ id: string }>('POST', path, { body })).body.id;
    const run = await made(`${root}/log_streams`, { name: 'to be erased' });
    const trace = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
    const traces = [{ id: trace, input: 'a canary of the certificate', spans: [] }];
    await user.as.call('POST', `${root}/traces`, { body: { log_stream_id: run, traces } });
    const nobodys = await auditor.as.send('GET', `/v2/history/certificate?run_id=${run}`);
    expect(nobodys.status).to.equal(404);
    await user.as.call('POST', `${root}/traces/delete`, { body: { log_stream_id: run } });
    const { entries: all } = await bundled(auditor, '');
    const deletion = all.find(({ event_type }) => event_type === 'RecordsDeleted')?.stream ?? '';
    const path = `certificate?deletion_id=${deletion.replace('deletion-', '')}`;
    let status = 0;
    // Erasing follows the deletion.
    for (let tries = 0; tries < 500 && status !== 200; tries += 1) {
      await opsCaller(cast.app.opsUrl, { opsToken: null })(sealCommand, {});
      ({ status } = await auditor.as.send('GET', `/v2/history/${path}`));
      if (status !== 200) expect(status).to.be.oneOf([404, 409]);
    }
    const lines = await linesOf<CertificateLine | Certified>(auditor, path);
    const { certificate, jws } = lines.at(-1) as Certified;
    const entries = lines.slice(0, -1) as CertificateLine[];
    const checkpoint = parseCheckpoint(certificate.checkpoint);
    if (checkpoint === null) throw new Error('no checkpoint');
    expect(trustedKey(vkey).hasSigned(checkpoint)).to.equal(true);
    for (const { entry, proof } of entries) {
      const leaf = { index: entry.seq - 1, hash: leafHash(sha256, fromHex(entry.hash)) };
      const hashes = proof.hashes.map((one) => Buffer.from(one, 'base64'));
      expect(isIncluded(sha256, leaf, checkpoint, hashes)).to.equal(true);
    }
    const erased = entries.filter(({ role }) => role === 'erased');
    expect(erased.map(({ entry }) => entry.event_type)).to.include('TraceLogged');
    expect(certificate.counts).to.include({ erased: erased.length, asked: 1 });
    expect(certificate.found).to.deep.include({ streams_left: 0, records_left: 0 });
    expect(JSON.stringify(lines)).to.not.include('canary');
    const [head = '', payload = '', signature = ''] = jws.split('.');
    const text = (part: string): string => Buffer.from(part, 'base64url').toString('utf8');
    expect(JSON.parse(text(payload))).to.deep.equal(certificate);
    const { keys } = (
      await auditor.as.call<{ keys: { kid: string; kty: string }[] }>('GET', '/v2/history/keys')
    ).body;
    const { kid } = JSON.parse(text(head)) as { kid: string };
    const jwk = keys.find((one) => one.kid === kid);
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    const signed = Buffer.from(`${head}.${payload}`);
    const by = { key, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, by, Buffer.from(signature, 'base64url'))).to.equal(true);
    const others = await cast.theirs.admin.as.send('GET', `/v2/history/${path}`);
    expect(others.status).to.equal(404);
    expect((await user.as.send('GET', `/v2/history/${path}`)).status).to.equal(403);
    expect((await auditor.as.send('GET', '/v2/history/certificate')).status).to.equal(422);
  });
});

type CertificateLine = {
  readonly role: string;
  readonly entry: BundleLine;
  readonly proof: { readonly hashes: readonly string[] };
};
type Certified = {
  readonly certificate: {
    readonly checkpoint: string;
    readonly counts: object;
    readonly found: object;
  };
  readonly jws: string;
};
