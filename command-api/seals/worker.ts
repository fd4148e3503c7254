import { stream, type Leases } from '../../kernel/ports.js';
import { openTurns } from '../../kernel/turns.js';
import { startWorker, type Worker } from '../work/worker.js';
import { openSealing, type Sealing, type SealNeeds } from './sealing.js';

export type StartNeeds = SealNeeds & {
  readonly leases: Pick<Leases, 'take' | 'release'>;
  /** Names this process among those who want the lease. */
  readonly worker: string;
  /** Told why a round failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** A seal comes so much later than it is due, at most. */
const restMs = 2_000;
const leaseName = 'seals';
/** Of rounds in this process. */
const turn = stream(leaseName);
/** A worker that died is replaced within this time. */
const leaseMs = 30_000;

type HistorySealer = Worker &
  Omit<Sealing, 'round'> & {
    /** Every chain that has something to seal, due or not; answers how many were sealed. */
    readonly sealNow: () => Promise<number>;
  };

/** Seals chains when they are due, in one process at a time; twice at once would do no harm. */
export const startSealing = (needs: StartNeeds): HistorySealer => {
  const { round, ...told } = openSealing(needs);
  const inTurn = openTurns();
  const end = new AbortController();
  const { leases, worker } = needs;
  const { stop } = startWorker(
    { ...needs, restMs },
    async (signal) => {
      if ((await leases.take(leaseName, worker, leaseMs)) !== null)
        await inTurn([turn], () => round(signal));
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
    sealNow: () => inTurn([turn], () => round(end.signal, 'all')),
  };
};
