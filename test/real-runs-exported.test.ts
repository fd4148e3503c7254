import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { opsCaller } from '../cli/ops-client.js';
import type { BundleLine } from '../ledger/chain/bundle.js';
import { sealCommand } from '../ledger/sealing.js';
import { readBundle, writeBundle, type Bundle, type BundleEntry } from './support/bundles.js';
import { temporaryFolder } from './support/folder.js';
import { bareEnvironment, drawSeed, program, repository } from './support/test-environment.js';
import { describeRealRuns, realRuns } from './support/real-runs.js';
import { runs } from './support/runs.js';
import { startService, type ServiceProcess } from './support/service-process.js';
import { tamperBundle, bundleTamperings } from './support/bundle-tampering.js';
import { readKey, verifierFile, verifyBundle } from './support/verifier.js';

type Made = { readonly id: string };
const tracesPerRequest = 20;
const uuidLength = 36;

describeRealRuns('200 real runs in the hands of an auditor', function () {
  this.timeout(180_000 * runs(1));
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let data = '';
  let organization = '';
  let dir = '';
  let origin = '';
  let entries: readonly BundleEntry[] = [];
  const deleted: string[] = [];
  const keyFile = (): string => join(folder.dir, 'key.pem');

  before(async () => {
    folder = await temporaryFolder();
    data = join(folder.dir, 'data');
    service = await startService({ dir: data });
    const { client } = service;
    const call = async (method: string, path: string, body: object): Promise<Made> =>
      (await client.call<Made>(method, path, { body })).body;
    const root = `/v2/projects/${(await call('POST', '/v2/projects', { name: 'airline' })).id}`;
    const run = (await call('POST', `${root}/log_streams`, { name: 'gpt-4o' })).id;
    const traces = realRuns();
    for (let from = 0; from < traces.length; from += tracesPerRequest) {
      const some = traces.slice(from, from + tracesPerRequest);
      await call('POST', `${root}/traces`, { log_stream_id: run, traces: some });
    }
    const template = await call('POST', `${root}/annotation/templates`, {
      name: 'good',
      constraints: { annotation_type: 'like_dislike' },
      include_explanation: true,
    });
    const ids = traces.map(({ id }) => id);
    for (const id of ids.slice(0, 10)) {
      const path = `${root}/annotation/templates/${template.id}/traces/${id}/rating`;
      const rating = { annotation_type: 'like_dislike', value: true };
      await call('PUT', path, { rating, explanation: 'canary of a rating' });
    }
    deleted.push(...ids.slice(8, 11));
    await call('POST', `${root}/traces/delete`, {
      log_stream_id: run,
      filters: [{ type: 'id', name: 'id', operator: 'one_of', value: deleted }],
    });
    const me = await client.call<{ organization_id: string }>('GET', '/v2/current_user');
    organization = me.body.organization_id;
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  const audit = (...args: readonly string[]) =>
    spawnSync(process.execPath, [program, 'audit', ...args], {
      encoding: 'utf8',
      env: { ...bareEnvironment(), ASSAY_DATA_DIR: data },
    });
  const seal = () => opsCaller(service.opsUrl, { opsToken: null })(sealCommand, {});

  before(async () => {
    const isGone = (): boolean =>
      deleted.every((id) =>
        entries.filter(({ stream }) => stream.endsWith(id)).every(({ erased }) => erased),
      );
    // Erasing follows the deletion: what is exported until then still has the content.
    for (let tries = 0; tries < 60 && (tries === 0 || !isGone()); tries += 1) {
      expect(await seal()).to.deep.include({ refused: [] });
      dir = join(folder.dir, `bundle-${tries}`);
      const ran = audit('export', '--organization', organization, '--out', dir);
      expect(ran.status, ran.stderr).to.equal(0);
      ({ entries } = readBundle(dir));
    }
    expect(isGone()).to.equal(true);
    const { keys } = JSON.parse(readFileSync(join(dir, 'keys.json'), 'utf8')) as {
      readonly keys: readonly { readonly kty: string }[];
    };
    const [jwk = { kty: '' }] = keys;
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    await writeFile(keyFile(), key.export({ format: 'pem', type: 'spki' }));
    ({ origin } = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as {
      readonly origin: string;
    });
  });

  it('are exported beside the service, and pass two independent verifiers', async () => {
    const logged = entries.filter(({ event_type }) => event_type === 'TraceLogged');
    expect([logged.length, logged.filter(({ erased }) => erased).length]).to.deep.equal([200, 3]);
    const rated = entries.filter(({ event_type }) => event_type === 'RatingGiven');
    // The last two of the ten were of traces that are deleted.
    expect([rated.length, rated.filter(({ erased }) => erased).length]).to.deep.equal([10, 2]);

    const twin = join(repository, 'test/verifier/assay_verify.py');
    const python = spawnSync('python3', ['-B', twin, dir, keyFile(), origin], { encoding: 'utf8' });
    expect(`${python.stdout}${python.stderr}`).to.equal('intact\n');
    const args = [verifierFile, dir, '--key', keyFile(), '--origin', origin];
    const node = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(`${node.stdout.split('\n')[0]}${node.stderr}`).to.equal(
      `intact: ${entries.length} entries of ${origin}`,
    );
    const deletion = entries.find(({ event_type }) => event_type === 'RecordsDeleted');
    const id = deletion?.stream.replace('deletion-', '') ?? '';
    const certify = () => audit('certificate', '--deletion', id, '--out', dir);
    let certified = certify();
    // The end of the erasure may come after the seal.
    for (let tries = 0; tries < 60 && certified.status !== 0; tries += 1) {
      await seal();
      certified = certify();
    }
    expect(certified.status, certified.stderr).to.equal(0);
    const lines = readFileSync(certified.stdout.trim(), 'utf8').trim().split('\n');
    expect(lines.filter((line) => line.includes('"TraceLogged"')).length).to.equal(3);
    expect(lines.at(-1)).to.include('"streams_left":0');
  });

  it('are in the bundle byte for byte as they were sent', () => {
    const texts = realRuns().map((trace) => [trace.id, JSON.stringify(trace)] as const);
    const sent = new Map(texts);
    const logged = entries.filter(({ event_type }) => event_type === 'TraceLogged');
    const differing = logged.filter(({ stream, schema_version: version, data, erased }) => {
      const text = sent.get(stream.slice(-uuidLength));
      return !erased && !(version === 2 && data?.endsWith(`"sent":${text}}`) === true);
    });
    expect(differing.map(({ stream }) => stream)).to.deep.equal([]);
  });

  it('make bundles that no tampering passes', async () => {
    // What says why content is gone has to be sealed too: the rest is cut off.
    await seal();
    const [from, to] = [entries[40], entries[60]] as BundleLine[];
    const rated = entries.find((one) => one.event_type === 'RatingGiven') as BundleLine;
    const range = ['--from', from?.position ?? '', '--to', to?.position ?? ''];
    const { id } = rated.resource;
    const record = ['--project', rated.project_id ?? '', '--resource', `trace:${id}`];
    const bundles = [[], range, record].map((part, at) => {
      const out = join(folder.dir, `of-${at}`);
      const ran = audit('export', '--organization', organization, ...part, '--out', out);
      expect(ran.status, ran.stderr).to.equal(0);
      return sealedOnly(readBundle(out));
    });
    const place = join(folder.dir, 'tampered');
    const key = readKey(keyFile());
    const verdict = async (bundle: Bundle): Promise<string> => {
      await writeBundle(place, bundle);
      return verifyBundle(place, { key, origin }).then(
        () => 'intact',
        (error: unknown) => (error as Error).message,
      );
    };
    const seed = drawSeed('tamperings with real runs');
    const counts = { tried: 0, intact: 0 };
    // The whole takes as long as a hundred of the parts.
    const which = fc.constantFrom(0, 1, 1, 1, 1, 1, 2, 2, 2, 2);
    const property = fc.asyncProperty(which, bundleTamperings(1_000), async (at, one) => {
      const bundle = bundles[at];
      const other = bundle === undefined ? null : tamperBundle(bundle, one);
      if (bundle === undefined || other === null) return;
      expect(await verdict(other), JSON.stringify(one)).to.not.equal('intact');
      counts.tried += 1;
      if (counts.tried % 50 !== 0) return;
      expect(await verdict(bundle)).to.equal('intact');
      counts.intact += 1;
    });
    const began = performance.now();
    await fc.assert(property, { numRuns: runs(120), seed });
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const { tried, intact } = counts;
    process.stdout.write(
      `    ${tried} tamperings refused, ${intact} intact ones passed, ${seconds} s\n`,
    );
    expect(Math.min(tried, intact)).to.be.greaterThan(0);
  });
});

/** Entries that are not sealed yet can be cut off: ALGORITHM.md says so. */
const sealedOnly = (bundle: Bundle): Bundle => {
  const size = Number(bundle.checkpoint.split('\n')[1]);
  return { ...bundle, entries: bundle.entries.filter(({ seq }) => seq <= size) };
};
