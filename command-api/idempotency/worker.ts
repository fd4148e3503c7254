import type { IdempotencyEvent } from '../../events/idempotency.js';
import type { Clock, EventLog, Files, Position, Recorded, StreamName } from '../../kernel/ports.js';
import { openBookmark } from '../work/bookmark.js';
import { startWorker, type Worker } from '../work/worker.js';
import { keptHours } from './claims.js';

type Needs = {
  readonly log: Pick<EventLog, 'page' | 'erase'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Answers up to here are erased. */
  readonly after: Position;
};
type Forgetting = {
  /**
   * One bounded piece of work; false when there is none left for now. Throws what the log throws.
   */
  readonly step: () => Promise<boolean>;
  /** What `after` may be next time. */
  readonly bookmark: () => Position;
};

/** How much of the log one step looks through, so at most how many answers it erases. */
const stepEvents = 2_000;

/**
 * Follows the log a day late and erases each answer that was kept for a repeat (contract 1.8, rule
 * 4). Erasing twice is erasing once, so a kill loses nothing.
 */
export const openForgetting = ({ log, clock, after }: Needs): Forgetting => {
  let position = after;
  /** When the next answer is due, once it was seen. */
  let dueMs = -Infinity;
  return {
    step: async () => {
      const nowMs = Date.parse(clock.now());
      if (nowMs < dueMs) return false;
      const page = await log.page(position, stepEvents, ['IdempotencyAnswered']);
      const answers = page.events as readonly Recorded<Answered>[];
      const next = answers.findIndex((event) => dueMsOf(event) > nowMs);
      const due = next < 0 ? answers : answers.slice(0, next);
      await Promise.all(due.flatMap(contentOf).map((name) => log.erase(name)));
      const before = position;
      const waiting = answers[next];
      position = waiting === undefined ? page.through : (due.at(-1)?.position ?? position);
      if (waiting !== undefined) dueMs = dueMsOf(waiting);
      return position > before;
    },
    bookmark: () => position,
  };
};

type Answered = Extract<IdempotencyEvent, { readonly type: 'IdempotencyAnswered' }>;

const dueMsOf = ({ metadata }: Recorded): number => Date.parse(metadata.at) + keptHours * 3_600_000;

/** Under the old name the claim itself holds the answer. */
const contentOf = ({ data, stream }: Recorded<Answered>): readonly StreamName[] => {
  if (data.kept_in !== undefined) return [data.kept_in as StreamName];
  return oldForm.test(stream) ? [stream] : [];
};
const oldForm = /^idempotency-[0-9a-f]{8}-/;

export type ForgettingNeeds = {
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

export const startForgetting = (needs: ForgettingNeeds): Worker => {
  const kept = openBookmark(needs);
  let forgetting: Forgetting | null = null;
  return startWorker(
    { ...needs, restMs },
    async () => {
      forgetting ??= openForgetting({ ...needs, after: await kept.read() });
      if (await forgetting.step()) return true;
      await kept.write(forgetting.bookmark(), needs.clock.milliseconds());
      return false;
    },
    async () => {
      if (forgetting !== null) await kept.write(forgetting.bookmark(), Infinity);
    },
  );
};
