import { spawn, spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { opsCaller } from '../../cli/ops-client.js';
import {
  writeBundle,
  type BundleSource,
  type BundleWriteOptions,
} from '../../ledger/audit/bundle.js';
import { openHistoryReader } from '../../ledger/reader.js';
import { httpSource, logSource } from '../../ledger/audit/sources.js';
import type { BundleLine, BundleManifest } from '../../ledger/chain/bundle.js';
import type { Position } from '../../kernel/ports.js';
import { sealCommand } from '../../ledger/sealing.js';
import { temporaryFolder } from '../support/folder.js';
import { bareEnvironment, program, repository } from '../support/test-environment.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

/** Engine settings of a service and of a command beside it; null: embedded. */
export type ExportEngines = {
  readonly eventStoreUrl: string | null;
  readonly mongodbUrl: string | null;
  readonly close: () => Promise<void>;
};

const secret = Buffer.alloc(32, 5).toString('base64');
const canary = 'canary of a deleted trace';
/** More than one page of an export. */
const tracesSent = 300;
const deletedTrace = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** Suite of exports by the command and over HTTP, for every choice of engines. */
export const historyExportSuite = (name: string, open: () => Promise<ExportEngines>): void => {
  describe(`the history of a service on ${name}, exported`, function () {
    this.timeout(240_000);
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let engines: ExportEngines;
    let service: ServiceProcess;
    let organization = '';
    let made = 0;
    const inFolder = (file: string): string => join(folder.dir, file);
    const newDir = (): string => {
      made += 1;
      return inFolder(`bundle-${made}`);
    };
    const environment = (): Record<string, string> => ({
      ...(engines.eventStoreUrl !== null && { ASSAY_EVENTSTORE_URL: engines.eventStoreUrl }),
      ...(engines.mongodbUrl !== null && { ASSAY_MONGODB_URL: engines.mongodbUrl }),
      ASSAY_SECRET_KEY: secret,
    });

    const write = async (
      source: BundleSource,
      dir: string,
      more: Partial<BundleWriteOptions> = {},
    ) => {
      const usual = { gzip: false, by: 'a test', now: () => '2026-03-01T09:00:00.000000Z' };
      try {
        return await writeBundle(source, {
          ...usual,
          dir,
          asked: {},
          progress: () => undefined,
          ...more,
        });
      } finally {
        await source.close();
      }
    };
    const overHttp = async (query: Readonly<Record<string, string>> = {}): Promise<string> => {
      const dir = newDir();
      const remote = { url: service.url, keyFile: inFolder('api-key') };
      await write(await httpSource(remote, query), dir);
      return dir;
    };
    /** Runs the command beside the service, asynchronously, as the servers are in this process. */
    const byCommand = async (...args: readonly string[]): Promise<string> => {
      const dir = newDir();
      const all = ['audit', 'export', '--organization', organization, '--out', dir, ...args];
      const child = spawn(process.execPath, [program, ...all], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...bareEnvironment(), ASSAY_DATA_DIR: inFolder('data'), ...environment() },
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const [code] = (await once(child, 'close')) as [number | null];
      expect(code, said).to.equal(0);
      return dir;
    };
    const linesIn = (dir: string): readonly BundleLine[] =>
      readdirSync(dir)
        .filter((file) => file.startsWith('entries-'))
        .sort()
        .flatMap((file) => readFileSync(join(dir, file), 'utf8').trim().split('\n'))
        .map((line) => JSON.parse(line) as BundleLine);
    const manifestIn = (dir: string) =>
      JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as BundleManifest;
    /** Verdicts of the two independent verifiers. */
    const demandIntact = async (dir: string): Promise<void> => {
      const { keys } = JSON.parse(readFileSync(join(dir, 'keys.json'), 'utf8')) as {
        readonly keys: readonly { readonly kty: string }[];
      };
      const key = createPublicKey({ key: { ...keys[0] }, format: 'jwk' });
      const pem = inFolder('key.pem');
      await writeFile(pem, key.export({ format: 'pem', type: 'spki' }));
      const { origin, entries } = manifestIn(dir);
      const verifier = join(repository, 'verifier/assay-verify.mjs');
      const args = [verifier, dir, '--key', pem, '--origin', origin];
      const node = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(`${node.stdout.split('\n')[0]}${node.stderr}`).to.equal(
        `intact: ${entries} entries of ${origin}`,
      );
      const twin = join(repository, 'test/verifier/assay_verify.py');
      const python = spawnSync('python3', ['-B', twin, dir, pem, origin], { encoding: 'utf8' });
      expect(`${python.stdout}${python.stderr}`).to.equal('intact\n');
    };

    before(async () => {
      [folder, engines] = await Promise.all([temporaryFolder(), open()]);
      service = await startService({ dir: inFolder('data'), env: environment() });
      await writeFile(inFolder('api-key'), service.apiKey);
      const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
        let reply = await service.client.send<T>(method, path, body && { body });
        // A starting server may answer late with 503: nothing was done then.
        await pollUntil(`${method} ${path} is answered`, 60_000, async () => {
          if (reply.status !== 503) return true;
          reply = await service.client.send<T>(method, path, body && { body });
          return reply.status !== 503;
        });
        expect(reply.status, JSON.stringify(reply.body)).to.be.within(200, 299);
        return reply.body;
      };
      const me = await call<{ organization_id: string }>('GET', '/v2/current_user');
      organization = me.organization_id;
      const project = await call<{ id: string }>('POST', '/v2/projects', { name: 'exported' });
      const root = `/v2/projects/${project.id}`;
      const run = await call<{ id: string }>('POST', `${root}/log_streams`, { name: 'one' });
      const traces = Array.from({ length: tracesSent }, (_, at) => ({
        input: `of ${at} \u2028 \u{1f600} "quoted"`,
        spans: [],
      }));
      const gone = { id: deletedTrace, input: canary, spans: [] };
      const logged = { log_stream_id: run.id, traces: [gone, ...traces] };
      await call('POST', `${root}/traces`, logged);
      await call('POST', `${root}/traces/delete`, {
        log_stream_id: run.id,
        filters: [{ type: 'id', name: 'id', operator: 'one_of', value: [deletedTrace] }],
      });
      const seal = opsCaller(service.opsUrl, { opsToken: null });
      // Erasing follows the deletion: until then exports still have the content.
      await pollUntil('the erasure is completed', 60_000, async () => {
        await seal(sealCommand, {});
        const { body } = await service.client.call<string>('GET', '/v2/history/export');
        return body.includes('"ErasureCompleted"') || !body.includes(canary);
      });
      await seal(sealCommand, {});
    });
    after(async () => {
      await service.kill();
      await engines.close();
      await folder.remove();
    });

    it('is the same over HTTP and from the engines, and passes the verifier', async () => {
      const [remote, local] = [await overHttp(), await byCommand()];
      const lines = linesIn(remote);
      expect(lines.length).to.be.greaterThan(tracesSent);
      expect(linesIn(local).slice(0, lines.length)).to.deep.equal(lines);
      for (const dir of [remote, local]) await demandIntact(dir);
      const erased = lines.filter((line) => line.erased);
      const names = erased.filter(({ stream }) => stream.endsWith(deletedTrace));
      expect(names.map(({ event_type: type }) => type)).to.include('TraceLogged');
      for (const { data, salt } of erased) expect([data, salt]).to.deep.equal([null, null]);
      expect(JSON.stringify(lines)).to.not.include(canary);
    });

    it('is cut by positions and times alike', async () => {
      const lines = linesIn(await overHttp());
      const [first, last] = [lines[20], lines[290]];
      if (first === undefined || last === undefined) throw new Error('too few entries');
      const byPosition = { from: first.position, to: last.position };
      const byTime = { from: first.at, to: last.at };
      for (const { from, to } of [byPosition, byTime]) {
        const [remote, local] = [
          await overHttp({ from, to }),
          await byCommand('--from', from, '--to', to),
        ];
        expect(linesIn(local)).to.deep.equal(linesIn(remote));
        expect(manifestIn(local)).to.include({ scope: 'range' });
        for (const dir of [remote, local]) await demandIntact(dir);
        const seqs = linesIn(local).map(({ seq }) => seq);
        expect(seqs).to.include.members([21, 200, 291]);
        if (from === byPosition.from) expect([seqs[0], seqs.at(-1)]).to.deep.equal([21, 291]);
      }
    });

    it('resumes after a stop, and ends as if uninterrupted', async () => {
      const { eventStoreUrl, mongodbUrl } = engines;
      const choice = { dataDir: inFolder('data'), eventStoreUrl, mongodbUrl, natsUrl: null };
      const position = linesIn(await overHttp()).at(-1)?.position as Position;
      const question = {
        chain: organization,
        projectId: null,
        resource: null,
        from: null,
        to: { position },
      };
      const writing = { partEntries: 128, asked: { position } };
      const source = async () => logSource(await openHistoryReader(choice), question, true);
      const unbroken = newDir();
      await write(await source(), unbroken, writing);
      const dir = newDir();
      const progress = ({ entries }: { readonly entries: number }): void => {
        if (entries > 256) throw new Error('stopped');
      };
      const stopped = await write(await source(), dir, { ...writing, progress }).catch(
        (error: unknown) => (error as Error).message,
      );
      expect(stopped).to.equal('stopped');
      expect(readdirSync(dir)).to.include('progress.json');
      await write(await source(), dir, writing);
      expect(digestsIn(dir)).to.deep.equal(digestsIn(unbroken));
      await demandIntact(dir);
    });
  });
};

const digestsIn = (dir: string): readonly (readonly [string, string])[] =>
  readdirSync(dir)
    .sort()
    .map((file) => {
      const digest = createHash('sha256').update(readFileSync(join(dir, file)));
      return [file, digest.digest('hex')];
    });
