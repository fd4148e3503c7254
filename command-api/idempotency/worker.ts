import type { IdempotencyEvent } from '../../events/idempotency.js';
import {
  logStart,
  type Clock,
  type EventLog,
  type Files,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { dayOf, saltStream } from '../facts/idempotency.js';
import { openWorkerCursor } from '../work/worker-cursor.js';
import { startWorker, type Worker } from '../work/polling-loop.js';
import { retentionHours } from './claims.js';

type Needs = {
  readonly log: Pick<EventLog, 'page' | 'last' | 'erase'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Answers up to here are erased. */
  readonly after: Position;
};
type ResponseExpiry = {
  /**
   * One bounded piece of work; false when there is none left for now. Throws what the log throws.
   */
  readonly step: () => Promise<boolean>;
  /** What `after` may be next time. */
  readonly cursor: () => Position;
};

/** How much of the log one step looks through, so at most how many answers it erases. */
const stepEvents = 2_000;

/**
 * Follows the log a day late and erases each answer that was kept for a repeat, and the salts of
 * days whose claims count no more (contract 1.8, rule 4). Erasing twice is erasing once, so a kill
 * loses nothing.
 */
export const openResponseExpiry = ({ log, clock, after }: Needs): ResponseExpiry => {
  let position = after;
  /** When the next answer is due, once it was seen. */
  let dueMs = -Infinity;
  const forgetSalts = openSaltExpiry(log);
  return {
    step: async () => {
      const nowMs = Date.parse(clock.now());
      if (await forgetSalts(nowMs)) return true;
      if (nowMs < dueMs) return false;
      const page = await log.page(position, stepEvents, ['IdempotencyAnswered']);
      const answers = page.events as readonly StoredEvent<AnsweredEvent>[];
      const next = answers.findIndex((event) => expiresAtMs(event) > nowMs);
      const due = next < 0 ? answers : answers.slice(0, next);
      await Promise.all(due.flatMap(responseStreamsOf).map((name) => log.erase(name)));
      const before = position;
      const waiting = answers[next];
      position = waiting === undefined ? page.through : (due.at(-1)?.position ?? position);
      if (waiting !== undefined) dueMs = expiresAtMs(waiting);
      return position > before;
    },
    cursor: () => position,
  };
};

/** An hour beside the day that a claim counts: clocks differ, and requests take their time. */
const saltHours = 2 * retentionHours + 1;
const dayMs = 86_400_000;
/** Looked for at once: some milliseconds on a server. */
const daysAtOnce = 64;

/**
 * Days are counted from the first of the log, so no bookmark is needed: a look costs next to
 * nothing. True while there are more to look at.
 */
const openSaltExpiry = (log: Needs['log']) => {
  let next: number | null = null;
  return async (nowMs: number): Promise<boolean> => {
    next ??= await firstDay(log);
    if (next === null) return false;
    const end = Math.floor((nowMs - saltHours * 3_600_000) / dayMs) + 1;
    const from = next;
    const count = Math.max(0, Math.min(daysAtOnce, end - from));
    await Promise.all(Array.from({ length: count }, (_, at) => expireSalt(log, from + at)));
    next = from + count;
    return count > 0 && next < end;
  };
};

const firstDay = async (log: Needs['log']): Promise<number | null> => {
  const { events, erased } = await log.page(logStart, 1);
  const [first] = [...events, ...erased].map(({ metadata }) => metadata.at).sort();
  return first === undefined ? null : Math.floor(Date.parse(first) / dayMs);
};

const expireSalt = async (log: Needs['log'], day: number): Promise<void> => {
  const name = saltStream(dayOf(new Date(day * dayMs).toISOString() as Instant));
  if ((await log.last(name)) !== null) await log.erase(name);
};

type AnsweredEvent = Extract<IdempotencyEvent, { readonly type: 'IdempotencyAnswered' }>;

const expiresAtMs = ({ metadata }: StoredEvent): number =>
  Date.parse(metadata.at) + retentionHours * 3_600_000;

/** Under the old name the claim itself holds the answer. */
const responseStreamsOf = ({ data, stream }: StoredEvent<AnsweredEvent>): readonly StreamName[] => {
  if (data.kept_in !== undefined) return [data.kept_in as StreamName];
  return legacyStreamForm.test(stream) ? [stream] : [];
};
const legacyStreamForm = /^idempotency-[0-9a-f]{8}-/;

type ResponseExpiryNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly files: Files;
  /** Where the bookmark is kept; without it the log is looked through once more. */
  readonly path: string;
  /** Told why a step failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** Nobody waits for it: a minute more of a day. */
const restMs = 60_000;

export const startResponseExpiry = (needs: ResponseExpiryNeeds): Worker => {
  const kept = openWorkerCursor(needs);
  let forgetting: ResponseExpiry | null = null;
  return startWorker(
    { ...needs, restMs },
    async () => {
      forgetting ??= openResponseExpiry({ ...needs, after: await kept.read() });
      if (await forgetting.step()) return true;
      await kept.write(forgetting.cursor(), needs.clock.milliseconds());
      return false;
    },
    async () => {
      if (forgetting !== null) await kept.write(forgetting.cursor(), Infinity);
    },
  );
};
