import { Counter, Gauge, type Registry } from 'prom-client';

type PendingErasure = {
  readonly where: string;
  readonly count: number;
  readonly seconds: number;
};

/** Series of operator actions and pending work, without tenant labels. */
export type OperatingSeries = {
  /** Replaced as a whole before each scrape. */
  readonly rebuilds: (under: readonly RebuildFigures[]) => void;
  readonly erasures: (pending: readonly PendingErasure[]) => void;
  readonly historyLag: (events: number) => void;
  readonly log: (isWritable: boolean) => void;
  readonly sandbox: (isReady: boolean) => void;
  /** Counts a call to another host that the egress refused. */
  readonly egressRefusal: (reason: string) => void;
  /** Longest time before an event is sealed; an older one is late. */
  readonly sealEvery: (seconds: number) => void;
};

type RebuildFigures = {
  readonly projection: string;
  /** 0 to 1. */
  readonly ratio: number;
  /** Null while unknown. */
  readonly etaSeconds: number | null;
};

export const openOperatingSeries = (registry: Registry): OperatingSeries => {
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const ratio = gauge(
    'assay_rebuild_progress_ratio',
    'Part of the log that the shadow copy of a rebuild has, 0 to 1.',
    'projection',
  );
  const eta = gauge(
    'assay_rebuild_eta_seconds',
    'Time until the rebuild is expected to be done.',
    'projection',
  );
  const pending = gauge(
    'assay_erasure_pending',
    'Pending erasures: deletions with content left in the log, and files with such content.',
    'where',
  );
  const oldest = gauge('assay_erasure_age_seconds', 'Age of the oldest pending erasure.', 'where');
  const history = gauge('assay_history_lag_events', 'Events not in a hash chain yet.');
  const writable = gauge('assay_log_writable', '1 while the log is writable, else 0.');
  const interval = gauge('assay_seal_interval_seconds', 'Longest time before an event is sealed.');
  const sandbox = gauge('assay_sandbox_ready', '1 while code scorers can run, else 0.');
  const refusedCalls = new Counter({
    name: 'assay_egress_refused_total',
    help: 'Calls to other hosts that were refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    rebuilds: (under) => {
      ratio.reset();
      eta.reset();
      for (const { projection, ratio: done, etaSeconds } of under) {
        ratio.set({ projection }, done);
        if (etaSeconds !== null) eta.set({ projection }, etaSeconds);
      }
    },
    erasures: (found) => {
      for (const where of ['log', 'documents', 'records']) {
        const { count = 0, seconds = 0 } = found.find((one) => one.where === where) ?? {};
        pending.set({ where }, count);
        oldest.set({ where }, seconds);
      }
    },
    historyLag: (events) => history.set(events),
    log: (isWritable) => writable.set(Number(isWritable)),
    sandbox: (isReady) => sandbox.set(Number(isReady)),
    egressRefusal: (reason) => refusedCalls.inc({ reason }),
    sealEvery: (seconds) => interval.set(seconds),
  };
};
