import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  openModelAttempts,
  type ModelAttempt,
} from '../../command-api/work/model-gateway/attempts.js';
import type {
  AttemptFigures,
  ModelCalls,
  ModelError,
  ModelOutcome,
} from '../../kernel/model-calls.js';
import type { IntegrationId } from '../../kernel/schema-types.js';

const tokens = { input: 3, output: 2, cache_read: 0, cache_write: 0, reasoning: 0 };
const answered: ModelOutcome = {
  error: null,
  answer: {
    text: 'OK',
    toolCalls: [],
    model: 'model-a',
    tokens,
    finish: 'stop',
    sha256: 'ab',
    ms: 20,
  },
};
const failedWith = (error: Partial<ModelError>): ModelOutcome => ({
  answer: null,
  error: {
    code: 1105,
    message: 'HTTP 500: oops',
    status: 500,
    isTransient: true,
    retryAfterMs: null,
    ms: 5,
    answer: null,
    ...error,
  },
});

describe('attempts of model calls', () => {
  let now = 0;
  let waits: number[] = [];
  let figures: AttemptFigures[] = [];
  let waiting = 0;
  /** Calls that the provider has and has not answered. */
  let open: ((outcome: ModelOutcome) => void)[] = [];
  const clock = {
    milliseconds: () => now,
    wait: async (ms: number) => {
      waits.push(ms);
      now += ms;
      await nextTurn();
    },
  };
  const calls: ModelCalls = { call: () => new Promise((resolve) => open.push(resolve)) };
  const series = {
    attempted: (seen: AttemptFigures) => void figures.push(seen),
    waiting: (change: number) => {
      waiting += change;
    },
  };
  const attempt = (integration: string, turn = 'project-a', more: object = {}): ModelAttempt => ({
    integrationId: integration as IntegrationId,
    turn,
    purpose: 'judge',
    request: {
      provider: 'custom',
      configuration: { settings: {}, secrets: {} },
      model: 'model-a',
      messages: [],
      timeoutMs: 1_000,
      ...more,
    },
  });
  beforeEach(() => {
    [now, waits, figures, waiting, open] = [0, [], [], 0, []];
  });
  const settle = async (outcome: ModelOutcome = answered): Promise<void> => {
    while (open.length > 0) {
      for (const answer of open.splice(0)) answer(outcome);
      await nextTurn();
    }
  };

  it('runs eight at a time of one integration, and thirty-two in all', async () => {
    const attempts = openModelAttempts({ calls, clock, series });
    const all = Array.from({ length: 60 }, (_, at) => attempts(attempt(`i${at % 6}`)));
    await nextTurn();
    expect([open.length, waiting]).to.deep.equal([32, 28]);
    await settle();
    await Promise.all(all);
    const alone = Array.from({ length: 9 }, () => attempts(attempt('i0')));
    await nextTurn();
    expect([open.length, waiting]).to.deep.equal([8, 1]);
    await settle();
    await Promise.all(alone);
    expect(waiting).to.equal(0);
  });

  it('gives a free place to the project that holds the least', async () => {
    const attempts = openModelAttempts({ calls, clock, series });
    const order: string[] = [];
    const call = (turn: string) => attempts(attempt('i0', turn)).then(() => void order.push(turn));
    const all = [...Array.from({ length: 40 }, () => call('large')), call('small')];
    await nextTurn();
    open.shift()?.(answered);
    await nextTurn();
    await nextTurn();
    open.at(-1)?.(answered);
    await nextTurn();
    expect(order).to.deep.equal(['large', 'small']);
    await settle();
    await Promise.all(all);
  });

  it('pauses the integration for as long as its provider asks, five minutes at most', async () => {
    const attempts = openModelAttempts({ calls, clock, series });
    for (const [asked, expected] of [
      [3_000, 3_000],
      [86_400_000, 300_000],
    ]) {
      const limited = attempts(attempt('i0'));
      await nextTurn();
      await settle(failedWith({ code: 1104, status: 429, retryAfterMs: asked ?? null }));
      await limited;
      waits = [];
      const [other, next] = [attempts(attempt('i1')), attempts(attempt('i0'))];
      await nextTurn();
      await nextTurn();
      expect(waits).to.deep.equal([expected]);
      await settle();
      await Promise.all([other, next]);
    }
  });

  it('counts outcome, time and tokens of each', async () => {
    const attempts = openModelAttempts({ calls, clock, series });
    for (const outcome of [answered, failedWith({ code: 1102 })]) {
      const call = attempts(attempt('i0'));
      await nextTurn();
      await settle(outcome);
      expect(await call).to.equal(outcome);
    }
    const common = { provider: 'custom', purpose: 'judge' };
    expect(figures).to.deep.equal([
      { ...common, outcome: 'ok', ms: 20, tokens },
      { ...common, outcome: 1102, ms: 5, tokens: null },
    ]);
  });

  it('drops a cancelled call from the line', async () => {
    const attempts = openModelAttempts({ calls, clock, series });
    const stop = new AbortController();
    const running = Array.from({ length: 8 }, () => attempts(attempt('i0')));
    const waitingCall = attempts(attempt('i0', 'project-a', { signal: stop.signal }));
    await nextTurn();
    stop.abort(new Error('stopped'));
    expect(await waitingCall.catch((error: unknown) => String(error))).to.match(/cancelled/);
    expect([open.length, waiting]).to.deep.equal([8, 0]);
    await settle();
    await Promise.all(running);
  });
});
