import { boundedMap } from '../../../kernel/bounded-map.js';
import { openLimiter } from '../../../kernel/limiter.js';
import type {
  ModelCalls,
  ModelOutcome,
  ModelPurpose,
  ModelRequest,
  ModelSeries,
} from '../../../kernel/model-calls.js';
import type { Clock } from '../../../kernel/ports.js';
import type { IntegrationId } from '../../../kernel/schema-types.js';

type AttemptsNeeds = {
  readonly calls: ModelCalls;
  readonly clock: Pick<Clock, 'milliseconds' | 'wait'>;
  readonly series: ModelSeries;
};

/** Calls at a time, so that one slow provider holds back neither the others nor the process. */
const perIntegrationMax = 8;
const inAllMax = 32;
/** Callers wait in lines of their own, which are bounded. */
const waitersMax = 10_000;
/** Longest pause of an integration, whatever its provider asks for. */
const pauseMaxMs = 300_000;
/** Integrations whose pause is remembered. */
const pausesMax = 10_000;

export type ModelAttempt = {
  readonly integrationId: IntegrationId;
  /** Project, or person for a call by hand: free places go to the one served longest ago. */
  readonly turn: string;
  readonly purpose: ModelPurpose;
  readonly request: ModelRequest;
};

/**
 * Attempts of model calls: waits for a place and for the end of the integration's pause, calls the
 * provider once, and counts what came of it. A `Retry-After` pauses the integration.
 */
export type ModelAttempts = (attempt: ModelAttempt) => Promise<ModelOutcome>;

export const openModelAttempts = ({ calls, clock, series }: AttemptsNeeds): ModelAttempts => {
  const limiter = openLimiter<'turn' | 'integration'>({
    size: inAllMax,
    shares: { turn: inAllMax, integration: perIntegrationMax },
    waitersMax,
  });
  const pausedUntil = boundedMap<IntegrationId, number>(pausesMax);
  const pauseLeft = (id: IntegrationId): number =>
    Math.max(0, (pausedUntil.get(id) ?? 0) - clock.milliseconds());

  /** Place of a call; waits for it after a pause, which may have begun while it waited. */
  const acquire = async ({ integrationId, turn, request }: ModelAttempt): Promise<() => void> => {
    const signal = request.signal ?? new AbortController().signal;
    for (;;) {
      for (let left = pauseLeft(integrationId); left > 0; left = pauseLeft(integrationId)) {
        await clock.wait(left, signal);
        signal.throwIfAborted();
      }
      const release = await limiter.acquire({ turn, integration: integrationId }, { signal });
      if (pauseLeft(integrationId) === 0) return release;
      release();
    }
  };

  return async (attempt) => {
    const { integrationId, purpose, request } = attempt;
    series.waiting(1);
    const release = await acquire(attempt).finally(() => series.waiting(-1));
    try {
      const outcome = await calls.call(request);
      const { answer, error } = outcome;
      const { ms } = answer ?? error;
      const tokens = (answer ?? error?.answer)?.tokens ?? null;
      const { provider } = request;
      series.attempted({ provider, purpose, outcome: error?.code ?? 'ok', ms, tokens });
      const pauseMs = Math.min(error?.retryAfterMs ?? 0, pauseMaxMs);
      if (pauseMs > 0) pausedUntil.set(integrationId, clock.milliseconds() + pauseMs);
      return outcome;
    } finally {
      release();
    }
  };
};
