import { streamNameOf, type Leases } from '../../kernel/ports.js';
import { openKeyedMutex } from '../../kernel/concurrency.js';
import { startWorker, type Worker } from '../work/polling-loop.js';
import { openChainSealer, type ChainSealer, type SealNeeds } from './chain-sealer.js';

export type SealWorkerNeeds = SealNeeds & {
  readonly leases: Pick<Leases, 'acquire' | 'release'>;
  /** Names this process among those who want the lease. */
  readonly worker: string;
  /** Told why a round failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** A seal comes so much later than it is due, at most. */
const restMs = 2_000;
const leaseName = 'seals';
/** Of rounds in this process. */
const roundKey = streamNameOf(leaseName);
/** A worker that died is replaced within this time. */
const leaseMs = 30_000;

type HistorySealer = Worker &
  Omit<ChainSealer, 'round'> & {
    /** Every chain that has something to seal, due or not; answers how many were sealed. */
    readonly sealNow: () => Promise<number>;
  };

/** Seals chains when they are due, in one process at a time; twice at once would do no harm. */
export const startSealWorker = (needs: SealWorkerNeeds): HistorySealer => {
  const { round, ...told } = openChainSealer(needs);
  const inTurn = openKeyedMutex();
  const end = new AbortController();
  const { leases, worker } = needs;
  const { stop } = startWorker(
    { ...needs, restMs },
    async (signal) => {
      if ((await leases.acquire(leaseName, worker, leaseMs)) !== null)
        await inTurn([roundKey], () => round(signal));
      return false;
    },
    () => leases.release(leaseName, worker),
  );
  return {
    ...told,
    stop: async () => {
      end.abort();
      await stop();
    },
    sealNow: () => inTurn([roundKey], () => round(end.signal, 'all')),
  };
};
