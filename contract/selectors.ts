import { type Complaint, valueComplaint } from '../kernel/fault.js';
import { id, instant, nullish, type Instant, type RunId } from '../kernel/schema-types.js';

/** Members that name one run (contract 3.1, rule 5), to be spread into a body's properties. */
export const runSelector = {
  log_stream_id: nullish(id('RunId')),
  experiment_id: nullish(id('RunId')),
  metrics_testing_id: nullish(id('RunId')),
};

/** Members that select by `created_at`, both ends included (contract 3.1, rule 6). */
export const optionalWindow = { start_time: nullish(instant), end_time: nullish(instant) };

export type RunKind = 'log_stream' | 'experiment' | 'metrics_testing';
/** Run as a request names it; the read model decides if the project has it. */
export type NamedRun = { readonly kind: RunKind; readonly id: RunId };

type Selector = {
  readonly log_stream_id?: RunId | null;
  readonly experiment_id?: RunId | null;
  readonly metrics_testing_id?: RunId | null;
};
type Window = { readonly start_time?: Instant | null; readonly end_time?: Instant | null };

const namedRuns = (body: Selector): readonly NamedRun[] =>
  (
    [
      ['log_stream', body.log_stream_id],
      ['experiment', body.experiment_id],
      ['metrics_testing', body.metrics_testing_id],
    ] as const
  ).flatMap(([kind, runId]) => (runId == null ? [] : [{ kind, id: runId }]));

/** Run that the body names, null for the whole project. Check `selectorComplaints` first. */
export const selectedRun = (body: Selector): NamedRun | null => namedRuns(body)[0] ?? null;

export const selectorComplaints = (body: Selector): readonly Complaint[] =>
  namedRuns(body).length > 1
    ? [
        valueComplaint(
          ['body'],
          'at most one of log_stream_id, experiment_id and metrics_testing_id may be given',
        ),
      ]
    : [];

export const windowComplaints = (
  { start_time, end_time }: Window,
  part: 'body' | 'query' = 'body',
): readonly Complaint[] =>
  start_time != null && end_time != null && start_time > end_time
    ? [valueComplaint([part, 'end_time'], 'end_time must not be before start_time')]
    : [];
