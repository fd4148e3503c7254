import { spawn } from 'node:child_process';
import { createPublicKey, hash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sha256 } from '../engines/node/digest.js';
import type { BundleLine } from '../ledger/chain/bundle.js';
import type { StreamName } from '../kernel/ports.js';
import { bareEnvironment, program } from '../test/support/test-environment.js';
import { installation, openSealedLog, sealSigningKey } from '../test/support/sealed-log.js';
import { verifyBundle } from '../test/support/verifier.js';
import { memoryOf, timeRuns, type BenchContext } from './bench-context.js';
import { figure, type ResultRow } from './result-rows.js';
import { resultHash, summary } from './statistics.js';

const organization = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const origin = `${installation}/${organization}`;
const appendedAtOnce = 500;
const verifications = 3;

type Shape = {
  readonly name: string;
  readonly what: string;
  readonly bytes: number;
  readonly events: number;
  readonly data: boolean;
  /** Entries verified a second, at least. */
  readonly target: number;
};
const shapes: readonly Shape[] = [
  {
    name: 'audit-verify-none',
    what: 'without data',
    bytes: 100,
    events: 60_000,
    data: false,
    target: 130_000,
  },
  {
    name: 'audit-verify-1kb',
    what: 'with 1 KB each',
    bytes: 1_000,
    events: 40_000,
    data: true,
    target: 80_000,
  },
  {
    name: 'audit-verify-10kb',
    what: 'with 10 KB each',
    bytes: 10_000,
    events: 20_000,
    data: true,
    target: 27_000,
  },
];
const exportTarget = 8_000;
export const auditRowNames = ['export', ...shapes.map(({ name }) => name)];

/** Bundles as they are exported on a folder, and checked by the auditor's own program. */
export const auditRows = async (bench: BenchContext): Promise<readonly ResultRow[]> => {
  const rows: ResultRow[] = [];
  for (const shape of shapes) {
    const isExport = shape.name === 'audit-verify-10kb' && bench.isWanted('export');
    if (!isExport && !bench.isWanted(shape.name)) continue;
    const events = bench.smoke ? 500 : shape.events;
    const dir = join(bench.dir, shape.name);
    bench.say(`${shape.name}: ${events} events into a log`);
    await fill(dir, events, shape.bytes);
    const done = await exported(dir, shape.data);
    if (isExport) rows.push(exportRow(shape, events, done, await restOf(bench)));
    const key = trusted();
    let entries = 0;
    const taken = await timeRuns(bench.smoke ? 1 : verifications, async () => {
      ({ entries } = await verifyBundle(done.out, { key, origin }));
    });
    const bare = await timeRuns(taken.length, async () => bareWork(done.out));
    rows.push(verifyRow(shape, entries, { taken, bare }));
  }
  return rows;
};

/** RSS of the command where there is next to nothing to export, in MB. */
const restOf = async (bench: BenchContext): Promise<number> => {
  const dir = join(bench.dir, 'audit-rest');
  await fill(dir, 1, 1);
  return (await exported(dir, true)).highest;
};

const exportRow = ({ bytes }: Shape, events: number, done: Exported, rest: number): ResultRow => ({
  name: 'export',
  what: 'a history written as a bundle by the command, its start among it',
  parameters: { events, bytes },
  unit: 'events/s',
  measured: { value: events / done.seconds, spread: 0, samples: 1 },
  baseline: null,
  target: { least: exportTarget },
  more: {
    'RSS MB with one event': rest,
    'RSS MB highest': done.highest,
    'RSS MB more (at most 64)': done.highest - rest,
  },
  hash: resultHash(events),
});

const verifyRow = (
  { name, what, bytes, target }: Shape,
  entries: number,
  { taken, bare }: { readonly taken: readonly number[]; readonly bare: readonly number[] },
): ResultRow => {
  const ratesOf = (times: readonly number[]) =>
    summary(times.map((milliseconds) => (entries / milliseconds) * 1_000));
  return {
    name,
    what: `entries of a bundle ${what}, checked by assay-verify.mjs on one core`,
    parameters: { entries, bytes },
    unit: 'events/s',
    measured: figure(ratesOf(taken)),
    baseline: {
      what: 'the same lines unpacked and parsed, with three hashes each and nothing compared',
      ...figure(ratesOf(bare)),
    },
    target: { least: target },
    more: {},
    hash: resultHash(entries),
  };
};

/** The work that every verifier needs: read, unpack, parse and hash. */
const bareWork = (dir: string): void => {
  for (const file of readdirSync(dir).filter((name) => name.startsWith('entries-'))) {
    const bytes = readFileSync(join(dir, file));
    hash('sha256', bytes);
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    for (const line of text.trimEnd().split('\n')) {
      const { data } = JSON.parse(line) as BundleLine;
      for (const hashed of [data ?? '', line.slice(0, lineLength), line.slice(0, leafLength)]) {
        hash('sha256', hashed);
      }
    }
  }
};
/** Characters of an entry's line and of a leaf, ALGORITHM.md. */
const lineLength = 400;
const leafLength = 65;

const fill = async (dir: string, events: number, bytes: number): Promise<void> => {
  const log = await openSealedLog(dir);
  const text = 'x'.repeat(bytes);
  for (let at = 0; at < events; at += appendedAtOnce) {
    await log.append(
      Array.from({ length: Math.min(appendedAtOnce, events - at) }, (_, n) => ({
        stream: `session-${at}-${n}` as StreamName,
        type: 'SessionStarted',
        data: { text, at, n },
        organization,
      })),
    );
  }
  await log.fold();
  await log.seal(organization);
  await log.fold();
  await log.close();
};

type Exported = {
  readonly out: string;
  readonly seconds: number;
  readonly highest: number;
};

const exported = async (dir: string, data: boolean): Promise<Exported> => {
  const out = join(dir, 'bundle');
  const args = ['audit', 'export', '--organization', organization, '--out', out];
  const began = performance.now();
  const child = spawn(process.execPath, [program, ...args, ...(data ? [] : ['--no-data'])], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...bareEnvironment(), ASSAY_DATA_DIR: dir },
  });
  let highest = 0;
  const look = setInterval(() => {
    // Gone between two looks: what was seen before stands.
    const seen = memoryOf(child.pid ?? 0).highest;
    if (!Number.isNaN(seen)) highest = Math.max(highest, seen);
  }, 20);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`the export ended with ${code}`);
  const seconds = (performance.now() - began) / 1_000;
  return { out, seconds, highest };
};

const trusted = (): object => {
  const { own } = sealSigningKey;
  const der = createPublicKey(own).export({ format: 'der', type: 'spki' });
  return { key: createPublicKey(own), origin, id: Buffer.from(sha256(der)).subarray(0, 4) };
};
