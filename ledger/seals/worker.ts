import { streamNameOf, type Leases } from '../../kernel/ports.js';
import { openKeyedMutex } from '../../kernel/concurrency.js';
import { startWorker, type Worker } from '../../command-api/work/polling-loop.js';
import { openChainSealer, type ChainSealer, type SealNeeds } from './chain-sealer.js';

export type SealWorkerNeeds = SealNeeds & {
  readonly leases: Pick<Leases, 'acquire' | 'release'>;
  /** Name of this process as a holder of the lease. */
  readonly worker: string;
  /** Reports a failed round, which is retried. */
  readonly onError: (error: unknown) => void;
};

/** Polling interval: the longest delay of a seal. */
const restMs = 2_000;
const leaseName = 'seals';
/** Mutex key of the rounds in this process. */
const roundKey = streamNameOf(leaseName);
/** Lease time: a lost worker is replaced within it. */
const leaseMs = 30_000;

type HistorySealer = Worker &
  Omit<ChainSealer, 'round'> & {
    /** Seals every chain with unsealed entries, due or not; returns how many. */
    readonly sealNow: () => Promise<number>;
  };

/**
 * Starts the sealing worker: seals due chains, in one process at a time under a lease; two at once
 * would be harmless.
 */
export const startSealWorker = (needs: SealWorkerNeeds): HistorySealer => {
  const { round, ...status } = openChainSealer(needs);
  const keyedMutex = openKeyedMutex();
  const end = new AbortController();
  const { leases, worker } = needs;
  const { stop } = startWorker(
    { ...needs, restMs },
    async (signal) => {
      if ((await leases.acquire(leaseName, worker, leaseMs)) !== null)
        await keyedMutex([roundKey], () => round(signal));
      return false;
    },
    () => leases.release(leaseName, worker),
  );
  return {
    ...status,
    stop: async () => {
      end.abort();
      await stop();
    },
    sealNow: () => keyedMutex([roundKey], () => round(end.signal, 'all')),
  };
};
