import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openHistoryReader } from '../../../ledger/reader.js';
import { sha256 } from '../../../engines/node/digest.js';
import { parseCheckpoint } from '../../../ledger/chain/checkpoint.js';
import { fromHex } from '../../../kernel/hex.js';
import { isIncluded, leafHash } from '../../../ledger/chain/merkle-tree.js';
import { streamNameOf, type StreamName } from '../../../kernel/ports.js';
import type { JsonObject } from '../../../kernel/schema-types.js';
import { historyExports } from '../../../ledger/exports/answers.js';
import { temporaryFolder } from '../../support/folder.js';
import { program } from '../../support/test-environment.js';
import { uuid } from '../../support/record-generators.js';
import {
  openSealedLog,
  sealSigningKey,
  type SealedLog,
  type SealedLogEvent,
} from '../../support/sealed-log.js';
import { ours, theirs } from '../../support/sample-history.js';

type Line = {
  readonly role: string;
  readonly entry: { readonly seq: number; readonly hash: string; readonly stream: string };
  readonly proof: { readonly hashes: readonly string[] };
};
type Certified = {
  readonly certificate: {
    readonly checkpoint: string;
    readonly counts: object;
    readonly found: object;
    readonly backups: object | null;
  };
};

const project = uuid(1, 1);
const [run, deletion, job, ofJob, dataset, gone] = [2, 3, 4, 5, 6, 7].map((at) => uuid(at, 1));
const told = (name: StreamName, type: string, data: JsonObject): SealedLogEvent => ({
  stream: name,
  type,
  data: { project_id: project, ...data },
  organization: ours,
});
const traceAt = (at: number): StreamName => streamNameOf('trace', project, uuid(8, at));
const logged = (at: number): SealedLogEvent =>
  told(traceAt(at), 'TraceLogged', { text: `canary ${at}` });
const recordsOf = (name: string, at: number, more: JsonObject = {}): readonly SealedLogEvent[] => [
  told(streamNameOf('deletion', name), 'RecordsDeleted', { deletion_id: name, ...more }),
  told(streamNameOf('deletion', name), 'RecordsErased', {
    session_ids: [],
    trace_ids: [uuid(8, at)],
  }),
];
const completed = (name: string): SealedLogEvent =>
  told(streamNameOf('erasure', name), 'ErasureCompleted', {});
const erasureOf = (
  name: string,
  of: string,
  streams: readonly StreamName[],
): readonly SealedLogEvent[] => [
  told(streamNameOf('erasure', name), 'ErasureBegun', { project_id: of }),
  told(streamNameOf('erasure', name), 'StreamsErased', { project_id: of, streams }),
  completed(name),
];
const ofGone = [
  streamNameOf('trace', String(gone), uuid(8, 4)),
  streamNameOf('project', String(gone)),
];
const rows = streamNameOf('datasetrows', String(dataset), uuid(9, 1));

/** Kinds of deletion, and the streams that each erases. */
const kinds = [
  ['deletion', '--deletion', deletion, [traceAt(1)]],
  ['job', '--org-job', job, [traceAt(2)]],
  ['run', '--run', run, [traceAt(3)]],
  ['project', '--project', gone, ofGone],
  ['dataset', '--dataset', dataset, [rows]],
] as const;

describe('a certificate of a deletion', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let log: SealedLog;
  before(async () => {
    folder = await temporaryFolder();
    log = await openSealedLog(folder.dir);
    const own = streamNameOf('dataset', String(dataset));
    await log.append([
      ...[1, 2, 3, 5].map(logged),
      ...ofGone.map((name) => told(name, 'ProjectCreated', { text: 'canary' })),
      told(rows, 'DatasetRowsStored', { rows: ['canary'] }),
      told(own, 'DatasetCreated', { dataset_id: dataset ?? '' }),
      told(own, 'DatasetDeleted', {}),
      told(own, 'DatasetRowsErased', {
        dataset_id: dataset ?? '',
        contents: [{ content_id: uuid(9, 1), chunks: 1 }],
      }),
      told(own, 'DatasetErased', {}),
      ...recordsOf(String(deletion), 1),
      completed(String(deletion)),
      told(streamNameOf('org-job', String(job)), 'OrgJobRequested', {}),
      ...recordsOf(String(ofJob), 2, { job_id: job ?? '' }),
      told(streamNameOf('org-job', String(job)), 'OrgJobCompleted', {}),
      ...erasureOf(String(run), project, [traceAt(3)]),
      ...erasureOf(String(gone), String(gone), ofGone),
    ]);
    for (const [, , , streams] of kinds) for (const name of streams) await log.log.erase(name);
    await sealed();
  });
  const sealed = async (): Promise<void> => {
    await log.fold();
    await log.seal(ours);
    await log.fold();
  };
  after(async () => {
    await log.close();
    await folder.remove();
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    ASSAY_DATA_DIR: folder.dir,
    ASSAY_SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
    ASSAY_BACKUP_DAYS: '30',
  });
  const byCommand = (flag: string, id: string): readonly (Line | Certified)[] => {
    const args = [program, 'audit', 'certificate', flag, id, '--out', join(folder.dir, 'new')];
    const file = execFileSync(process.execPath, args, { env: environment(), encoding: 'utf8' });
    const text = readFileSync(file.trim(), 'utf8');
    rmSync(file.trim());
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line | Certified);
  };
  const byRoute = async (
    kind: string,
    id: string,
    whose = ours,
  ): Promise<readonly JsonObject[]> => {
    const engines = { eventStoreUrl: null, mongodbUrl: null, natsUrl: null };
    const history = await openHistoryReader({ dataDir: folder.dir, ...engines });
    const { certificateLines } = historyExports({
      ...history,
      clock: { ...history.clock, milliseconds: () => 0, wait: async () => undefined },
      records: { findGroup: async () => null },
      backupDays: null,
      sealKey: async () => ({ ...sealSigningKey, jws: async () => 'signed' }) as never,
    });
    try {
      return await Array.fromAsync(certificateLines({ [`${kind}_id`]: id }, whose));
    } finally {
      await history.close();
    }
  };

  it('waits until all that a job deleted is erased and sealed', async () => {
    const early = await byRoute('job', String(job)).catch((error: unknown) => error);
    expect(early).to.include({ code: 'conflict' });
    await log.append([completed(String(ofJob))]);
    const unsealed = await byRoute('job', String(job)).catch((error: unknown) => error);
    expect(unsealed).to.include({ code: 'conflict' });
    await sealed();
  });

  for (const [kind, flag, id = '', streams] of kinds) {
    it(`covers the ${kind}, by CLI and over HTTP: what was erased and what is left`, async () => {
      const lines = byCommand(flag, id);
      const { certificate } = lines.at(-1) as Certified;
      const entries = lines.slice(0, -1) as readonly Line[];
      const checkpoint = parseCheckpoint(certificate.checkpoint);
      if (checkpoint === null) throw new Error('no checkpoint');
      for (const { entry, proof } of entries) {
        const leaf = { index: entry.seq - 1, hash: leafHash(sha256, fromHex(entry.hash)) };
        const hashes = proof.hashes.map((one) => Buffer.from(one, 'base64'));
        expect(isIncluded(sha256, leaf, checkpoint, hashes)).to.equal(true);
      }
      const erased = entries.filter(({ role }) => role === 'erased');
      expect(erased.map(({ entry }) => entry.stream)).to.have.members(streams);
      for (const role of ['asked', 'closed']) {
        expect(entries.filter((one) => one.role === role).length, role).to.be.greaterThan(0);
      }
      expect(certificate.found).to.include({
        streams: streams.length,
        streams_left: 0,
        records_left: null,
        disk: 'given_back',
      });
      expect(certificate.backups).to.deep.equal({
        days: 30,
        expired_at: '2026-03-31T09:00:00.000Z',
      });
      expect(JSON.stringify(lines)).to.not.include('canary');
      const asked = await byRoute(kind, id);
      expect(asked.slice(0, -1)).to.deep.equal(entries);
      expect(asked.at(-1)).to.have.nested.property('certificate.backups', null);
      const foreign = await byRoute(kind, id, theirs).catch((error: unknown) => error);
      expect(foreign).to.include({ code: 'not-found' });
    });
  }

  it('covers one deletion, and is refused for what was not deleted', () => {
    const said = (...args: readonly string[]): string =>
      spawnSync(process.execPath, [program, 'audit', 'certificate', ...args], {
        env: environment(),
        encoding: 'utf8',
      }).stderr;
    expect(said()).to.match(/certificate of what\? One of --deletion/);
    expect(said('--run', uuid(2, 9), '--project', project)).to.match(/certificate of what\?/);
    expect(said('--run', uuid(2, 9), '--out', folder.dir)).to.match(
      /the run .* was not deleted here/,
    );
  });
});
