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
    help: 'Age of the oldest event without a seal.',
    registers,
  });
  const sealed = counter('assay_seals_total', 'Seals made.');
  const refused = counter(
    'assay_seal_refused_total',
    'Histories no longer sealed: they contradict the log or an earlier seal.',
  );
  const scrubbed = counter('assay_scrub_events_total', 'Events rehashed before a seal.');
  const mismatches = counter(
    'assay_scrub_mismatches_total',
    'Rehashed events that differ from the history.',
  );
  const failures = counter(
    'assay_witness_failures_total',
    'Seals that a witness did not cosign.',
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
