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
  /** Cursor: responses up to here are erased. */
  readonly after: Position;
};
type ResponseExpiry = {
  /** Runs one bounded step; false when idle. Throws what the log throws. */
  readonly step: () => Promise<boolean>;
  /** The next `after`. */
  readonly cursor: () => Position;
};

/** Events of the log scanned in one step, an upper bound of erased responses. */
const stepEvents = 2_000;

/**
 * TTL of stored responses: follows the log a day late and erases each stored response, and the
 * salts of days whose claims have expired (contract 1.8, rule 4). Idempotent, so a kill loses
 * nothing.
 */
export const openResponseExpiry = ({ log, clock, after }: Needs): ResponseExpiry => {
  let position = after;
  /** Expiry of the next response; -Infinity until one was seen. */
  let nextExpiryMs = -Infinity;
  const expireSalts = openSaltExpiry(log);
  return {
    step: async () => {
      const nowMs = Date.parse(clock.now());
      if (await expireSalts(nowMs)) return true;
      if (nowMs < nextExpiryMs) return false;
      const page = await log.page(position, stepEvents, ['IdempotencyAnswered']);
      const answers = page.events as readonly StoredEvent<AnsweredEvent>[];
      const next = answers.findIndex((event) => expiresAtMs(event) > nowMs);
      const expired = next < 0 ? answers : answers.slice(0, next);
      await Promise.all(expired.flatMap(responseStreamsOf).map((name) => log.erase(name)));
      const before = position;
      const waiting = answers[next];
      position = waiting === undefined ? page.through : (expired.at(-1)?.position ?? position);
      if (waiting !== undefined) nextExpiryMs = expiresAtMs(waiting);
      return position > before;
    },
    cursor: () => position,
  };
};

/** Retention of a salt: two claim lifetimes and an hour for clock differences and slow requests. */
const saltHours = 2 * retentionHours + 1;
const dayMs = 86_400_000;
/** Days checked in one step: some milliseconds on a server. */
const daysAtOnce = 64;

/**
 * Erases expired salts, a bounded number of days per call. Days are counted from the log's first
 * event, so no cursor is stored: a check is cheap. True while there are more days to check.
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

/** Streams with the stored response; under the legacy name the claim itself holds it. */
const responseStreamsOf = ({ data, stream }: StoredEvent<AnsweredEvent>): readonly StreamName[] => {
  if (data.kept_in !== undefined) return [data.kept_in as StreamName];
  return legacyStreamForm.test(stream) ? [stream] : [];
};
const legacyStreamForm = /^idempotency-[0-9a-f]{8}-/;

type ResponseExpiryNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly files: Files;
  /** Path of the stored cursor; without it the log is scanned again. */
  readonly path: string;
  /** Reports a failed step, which is retried. */
  readonly onError: (error: unknown) => void;
};

/** Polling interval: expiry may be a minute late. */
const restMs = 60_000;

export const startResponseExpiry = (needs: ResponseExpiryNeeds): Worker => {
  const cursor = openWorkerCursor(needs);
  let expiry: ResponseExpiry | null = null;
  return startWorker(
    { ...needs, restMs },
    async () => {
      expiry ??= openResponseExpiry({ ...needs, after: await cursor.read() });
      if (await expiry.step()) return true;
      await cursor.write(expiry.cursor(), needs.clock.milliseconds());
      return false;
    },
    async () => {
      if (expiry !== null) await cursor.write(expiry.cursor(), Infinity);
    },
  );
};
