import { Counter, Gauge, type Registry } from 'prom-client';

/** Series of history seals, without tenant labels. */
export type SealSeries = {
  /** Age, set before each scrape. */
  readonly age: (seconds: number) => void;
  readonly sealed: () => void;
  readonly refused: () => void;
  readonly scrubbed: (events: number) => void;
  readonly mismatched: () => void;
  readonly unwitnessed: (witness: string) => void;
};

export const openSealSeries = (registry: Registry): SealSeries => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const age = new Gauge({
    name: 'assay_seal_age_seconds',
    help: 'How long the oldest event waits that no seal covers.',
    registers,
  });
  const sealed = counter('assay_seals_total', 'Seals made.');
  const refused = counter(
    'assay_seal_refused_total',
    'Histories that are not sealed any more: they contradict the log or an earlier seal.',
  );
  const scrubbed = counter('assay_scrub_events_total', 'Events hashed again before a seal.');
  const mismatches = counter(
    'assay_scrub_mismatches_total',
    'Events that were not what the history says.',
  );
  const failures = counter(
    'assay_witness_failures_total',
    'Seals that a witness did not cosign when it was asked.',
    'witness',
  );
  return {
    age: (seconds) => age.set(seconds),
    sealed: () => sealed.inc(),
    refused: () => refused.inc(),
    scrubbed: (events) => scrubbed.inc(events),
    mismatched: () => mismatches.inc(),
    unwitnessed: (witness) => failures.inc({ witness }),
  };
};
