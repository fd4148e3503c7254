import type { ScoringFailure } from '../../events/past-scoring.js';
import { structuredError } from '../../kernel/records/evaluation-errors.js';
import { targetsOf, type ActiveScorer, type Made, type Target } from './scoring.js';
import { errorCodeOf, errorMessageOf, touchedAt, type ScoredTrace } from './trace.js';

/** What became of a record in a job. */
export type Outcome = 'scored' | 'skipped' | Failed;
type Failed = Omit<ScoringFailure, 'count'>;

/** Records of a trace that a job has to look at, and those that it need not. */
export type PastTargets = {
  readonly targets: readonly Target[];
  readonly known: ReadonlyMap<string, Outcome>;
};

/**
 * Each record at most once by a version of the scorer: again only where the version could not say
 * anything the last time, but never twice in one job.
 */
export const pastTargets = (trace: ScoredTrace, active: ActiveScorer, job: string): PastTargets => {
  const targets: Target[] = [];
  const known = new Map<string, Outcome>();
  const { name, versions } = active.scorer;
  for (const target of targetsOf(trace, active, 'all')) {
    const { record } = target;
    const score = trace.records.get(record)?.scores.get(name);
    const made = versions.at(-1)?.created_at ?? '';
    const isByThis =
      score !== undefined &&
      score.at > touchedAt(trace, record) &&
      // Events from before they said the version: the newest one was at work then.
      (score.version === null ? score.madeAt >= made : score.version === versions.length);
    if (!isByThis) targets.push(target);
    else if (score.job === job) known.set(record, outcomeInLog(target, name));
    else if (score.code !== null && isRetriable(score.code)) targets.push(target);
    else known.set(record, 'skipped');
  }
  return { targets, known };
};

const isRetriable = (code: number): boolean => structuredError({ code, message: null }).retriable;

const outcomeInLog = (target: Target, metric: string): Outcome => {
  const { metrics = {} } = target.trace.records.get(target.record)?.content ?? {};
  const [code, message] = [metrics[errorCodeOf(metric)], metrics[errorMessageOf(metric)]];
  return typeof code === 'number' ? failedAt(target, code, String(message ?? '')) : 'scored';
};

export const outcomeOf = (target: Target, made: Made): Outcome =>
  'code' in made ? failedAt(target, made.code, made.message) : 'scored';

export const failedAt = (
  { trace, record }: { readonly trace: Pick<ScoredTrace, 'id'>; readonly record: string },
  code: number,
  message: string,
): Failed => ({
  error_code: code,
  ...whereIn(code, message),
  trace_id: trace.id,
  record_id: record,
});

/**
 * The exception and the line of the scorer's own file that a message of the harness names: its
 * first line is `Type: text`, frames follow with the innermost last.
 */
export const whereIn = (code: number, message: string): Pick<Failed, 'type' | 'line'> => {
  const [, exception] = /^([A-Za-z_][\w.]*)(?::|\n|$)/.exec(message) ?? [];
  const lines = [...message.matchAll(/^ *File "[^"\n]*", line (\d+)|\(line (\d+)\)$/gm)];
  const [, frame, syntax] = lines.at(-1) ?? [];
  const line = frame ?? syntax;
  return {
    type:
      (code === 1_001 ? exception : undefined)?.slice(0, typeMax) ??
      structuredError({ code, message: null }).error_type,
    line: line === undefined ? null : Number(line),
  };
};
const typeMax = 128;

/** Counts of outcomes, failures of one kind together; the first kinds of a stretch are kept. */
export const summed = (outcomes: Iterable<Outcome>) => {
  const counts = { scored: 0, skipped: 0, failed: 0 };
  const kinds = new Map<string, ScoringFailure>();
  for (const one of outcomes) {
    counts[typeof one === 'string' ? one : 'failed'] += 1;
    if (typeof one === 'string') continue;
    const key = JSON.stringify([one.error_code, one.type, one.line]);
    const known = kinds.get(key);
    if (known !== undefined || kinds.size < kindsMax) {
      kinds.set(key, { ...one, ...known, count: (known?.count ?? 0) + 1 });
    }
  }
  return { ...counts, failures: [...kinds.values()] };
};
const kindsMax = 20;
