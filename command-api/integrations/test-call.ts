import { testIntegration } from '../../contract/integrations.js';
import { isProvider } from '../../contract/integration-providers.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { ModelOutcome } from '../../kernel/model-calls.js';
import type { Clock, EventReader } from '../../kernel/ports.js';
import { costOf, priceLists } from '../../kernel/prices/price-lists.js';
import type { Instant } from '../../kernel/schema-types.js';
import { openSlidingWindow } from '../../kernel/sliding-window.js';
import { loadStreamState } from '../../kernel/transact.js';
import type { Vault } from '../../kernel/vault.js';
import { openConfiguration } from '../facts/integration-secrets.js';
import { integrationSlots, integrationStream } from '../facts/integrations.js';
import type { ModelAttempts } from '../work/model-gateway/attempts.js';
import { integrationNotFound } from './integrations.js';

type TestNeeds = {
  readonly log: EventReader;
  readonly vault: Pick<Vault, 'open'>;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly modelAttempts: ModelAttempts;
};

/** Tests of one person: each costs money at their provider. */
const tests = { max: 10, windowMs: 60_000 };
const tokensMax = 16;
/** Shorter than the deadline of a write, so that the answer says what happened. */
const timeoutMs = 15_000;

/** A test has no project, and so no list but the shipped one. */
const prices = priceLists([], true);

/** Route of a test call (contract 5.9, rule 1). */
export const integrationTests = (needs: TestNeeds): readonly Route[] => [testing(needs)];

const testing = ({ log, vault, clock, modelAttempts }: TestNeeds): Route => {
  const window = openSlidingWindow(clock, tests);
  return writeRoute(testIntegration, async ({ body, params, principal, signal, cause }) => {
    const { provider_segment: provider } = params;
    const { userId } = principal;
    const { integration } = isProvider(provider)
      ? (await loadStreamState(log, integrationStream(userId, provider), integrationSlots)).state
      : { integration: null };
    if (integration === null) throw notFound();
    if (integration.disabled) return { body: refusedTest('The integration is disabled.') };
    const waitMs = window.waitMs(userId);
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1_000);
      const detail = `Too many tests (${tests.max} a minute at most). Try again later`;
      throw new Fault('too-many', detail, { retryAfterSeconds });
    }
    window.count(userId);
    const outcome = await modelAttempts({
      integrationId: integration.place.integration_id,
      turn: userId,
      purpose: 'test',
      request: {
        provider,
        configuration: await openConfiguration({ log, vault }, integration),
        model: body.model,
        messages: [{ role: 'user', content: 'Reply with the word OK.' }],
        settings: { maxTokens: tokensMax },
        timeoutMs,
        signal,
      },
    });
    return { body: testAnswer(outcome, body.model, cause.at) };
  });
};

const notFound = (): Fault => {
  const { rejected, detail } = integrationNotFound();
  return new Fault(rejected, detail);
};

const refusedTest = (message: string) => ({
  ok: false,
  error_code: 1101,
  message,
  latency_ms: 0,
  tokens: null,
  cost: null,
});

/** A model that answers more than 16 tokens answers. */
const testAnswer = ({ answer, error }: ModelOutcome, model: string, at: Instant) => {
  const received = answer ?? error.answer;
  const ok = answer !== null || received?.finish === 'length';
  return {
    ok,
    error_code: ok ? null : (error?.code ?? null),
    message: ok ? null : (error?.message ?? null),
    latency_ms: (received ?? error)?.ms ?? 0,
    tokens: received?.tokens ?? null,
    cost: received ? costOf(received.tokens, model, prices, at) : null,
  };
};
