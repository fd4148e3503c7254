import { join } from 'node:path';
import { openDatabase } from '../../engines/sqlite/database.js';
import {
  openChainSealer,
  type ChainSealer,
  type SealNeeds,
  type SealRefusal,
} from '../../ledger/seals/chain-sealer.js';
import { newestSeal, type ChainSeal } from '../../ledger/seals/seal-streams.js';
import { sha256 } from '../../engines/node/digest.js';
import { randomIds } from '../../engines/node/ids.js';
import { sealingKey } from '../../engines/node/seal-keys.js';
import { streamNameOf, type EventLog, type Files } from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/schema-types.js';
import { appendEvents } from '../../kernel/transact.js';
import { declaredChain } from '../../ledger/fold/chain-membership.js';
import { authorAt, instantAfter, testClock, testLog, type TestLog } from './test-log.js';
import { referenceChains } from './reference-chains.js';

export const acme = '3fa85f64-5717-4562-b3fc-2c963f66afa6' as OrganizationId;
export const other = '5c0d9d8e-1f0a-4a53-9d4b-3f1f6a1f7a20' as OrganizationId;
export const everyMs = 3_600_000;
export const key = sealingKey({ seed: Buffer.alloc(32, 1) });

/** A worker that seals one log, on a clock of its own that a test moves. */
type TestSealWorker = ChainSealer & {
  /** Runs a round after these seconds; answers how many histories it sealed. */
  readonly later: (seconds: number) => Promise<number>;
  readonly paths: () => readonly string[];
  readonly refused: readonly SealRefusal[];
  readonly counts: {
    readonly scrubbed: number;
    readonly mismatched: number;
    readonly sealed: number;
    readonly unwitnessed: readonly string[];
  };
};

/** A log with histories of two organisations, and workers that seal it. */
export type SealFixture = {
  readonly testLog: TestLog;
  /**
   * Appends `count` events of the organisation, each in a stream of its own; answers their streams.
   */
  readonly appendEvents: (count: number, whose?: OrganizationId, at?: number) => Promise<string[]>;
  readonly worker: (given?: Partial<SealNeeds>) => TestSealWorker;
  readonly newest: (chain?: string) => Promise<ChainSeal | null>;
  /** The newest seal; throws when there is none. */
  readonly seal: (chain?: string) => Promise<ChainSeal>;
  /** Runs SQL on the file, bypassing the service. */
  readonly executeSql: (statement: string) => void;
};

export const openSealFixture = async (
  open: () => Promise<TestLog> = testLog,
): Promise<SealFixture> => {
  const made = await open();
  let names = 0;
  const chains = referenceChains(made.log);
  const newest = (chain: string = acme): Promise<ChainSeal | null> =>
    newestSeal({ log: made.log, chains, clock: { now: () => instantAfter(10_000_000) } }, chain);
  return {
    testLog: made,
    appendEvents: async (count, organizationId = acme, at = 0) => {
      const streams: string[] = [];
      for (let one = 0; one < count; one += 1) {
        names += 1;
        const name = streamNameOf('project', String(names));
        const event = { type: 'ProjectDeleted', data: { project_id: String(names) } };
        const author = { ...authorAt(at), organizationId };
        await appendEvents(made.log, [{ stream: name, events: [event] }], author);
        streams.push(name);
      }
      return streams;
    },
    worker: (given = {}) => workerOn(made.log, given),
    newest,
    seal: async (chain = acme) => {
      const found = await newest(chain);
      if (found === null) throw new Error(`${chain} has no seal`);
      return found;
    },
    executeSql: (statement) => {
      const database = openDatabase(join(made.dir, 'log.sqlite'));
      try {
        // One transaction: the running check must not see the change beside the old checksums.
        database.exec(`BEGIN IMMEDIATE; ${statement}; DELETE FROM sums WHERE pos > 0; COMMIT`);
      } finally {
        database.close();
      }
    },
  };
};

export const workerOn = (log: EventLog, given: Partial<SealNeeds>): TestSealWorker => {
  const clock = testClock();
  const files = filesInMemory();
  const refused: SealRefusal[] = [];
  const counts = { scrubbed: 0, mismatched: 0, sealed: 0, unwitnessed: [] as string[] };
  const sealing = openChainSealer({
    log,
    chains: referenceChains(log),
    clock,
    sha256,
    ids: randomIds,
    files,
    keys: [key],
    installation: 'assay.example.org',
    everyMs,
    entriesMax: 1_000,
    noteFile: (chain, size) => `${chain}-${size}`,
    witnesses: [],
    chainOf: declaredChain,
    onScrubbed: (events) => {
      counts.scrubbed += events;
    },
    onMismatch: () => {
      counts.mismatched += 1;
    },
    onSealed: () => {
      counts.sealed += 1;
    },
    onRefused: (refusal) => void refused.push(refusal),
    onWitnessFailure: (name, error) => void counts.unwitnessed.push(`${name}: ${String(error)}`),
    ...given,
  });
  return {
    ...sealing,
    later: async (seconds) => {
      clock.move(seconds);
      return sealing.round(new AbortController().signal);
    },
    paths: files.paths,
    refused,
    counts,
  };
};

const filesInMemory = (): Files & { readonly paths: () => readonly string[] } => {
  const files = new Map<string, Uint8Array>();
  return {
    read: async (path) => files.get(path) ?? null,
    write: async (path, bytes) => void files.set(path, bytes),
    paths: () => [...files.keys()],
  };
};
