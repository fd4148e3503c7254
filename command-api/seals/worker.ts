import type { Leases } from '../../kernel/ports.js';
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
/** A worker that died is replaced within this time. */
const leaseMs = 30_000;

/** Seals chains when they are due, in one process at a time; twice at once would do no harm. */
export const startSealing = (needs: StartNeeds): Worker & Omit<Sealing, 'round'> => {
  const { round, ...told } = openSealing(needs);
  const { leases, worker } = needs;
  const { stop } = startWorker(
    { ...needs, restMs },
    async (signal) => {
      if ((await leases.take(leaseName, worker, leaseMs)) !== null) await round(signal);
      return false;
    },
    () => leases.release(leaseName, worker),
  );
  return { stop, ...told };
};
