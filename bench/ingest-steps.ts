import { batchOf } from '../command-api/traces/trace-batch.js';
import { traceEvents } from '../command-api/traces/event-packing.js';
import { logTraces, type SentTraces } from '../contract/ingest.js';
import { complaintsAboutTraces } from '../contract/record-rules.js';
import { compileGuard } from '../engines/ajv/compile.js';
import { randomIds } from '../engines/node/ids.js';
import { noon, run } from '../test/support/trace-batches.js';
import { spansPerRequest, variedBodies, wideBodies, type Bodies } from './bodies.js';

/**
 * Steps of the accepting thread for a request of 20 traces of 10 spans before the append, in
 * microseconds per span: `node dist/bench/ingest-steps.js`. The log engine's `JSON.stringify`
 * is shown for comparison.
 */
const guard = compileGuard(logTraces.body ?? logTraces.params, 'body');
const minting = {
  mint: <Name extends string>(name: Name) => randomIds.next(name),
  receivedAt: noon,
  priceOf: () => undefined,
};

const rounds = 1_500;
const warmUp = 300;

const measure = (name: string, bodies: Bodies): void => {
  const spent = new Map<string, number>();
  const step = <T>(what: string, round: number, work: () => T): T => {
    const began = performance.now();
    const result = work();
    if (round >= warmUp) spent.set(what, (spent.get(what) ?? 0) + performance.now() - began);
    return result;
  };
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const { bytes } = bodies(round);
    const json = step('parse', round, () => JSON.parse(bytes.toString('utf8')) as unknown);
    const guarded = step('guard', round, () => guard(json));
    if (!guarded.ok) throw new Error(JSON.stringify(guarded.complaints));
    const body = guarded.value as SentTraces;
    if (step('rules', round, () => complaintsAboutTraces(body.traces)).length > 0)
      throw new Error();
    const batch = step('normalise', round, () =>
      batchOf(body, { run, sessionOf: () => null, itemBytes: null }, minting),
    );
    const events = step('events', round, () => batch.logged.map(traceEvents));
    step('stringify', round, () => events.flat().map(({ data }) => JSON.stringify(data).length));
  }
  const perSpan = [...spent].map(
    ([what, ms]) => `${what} ${((ms * 1_000) / rounds / spansPerRequest).toFixed(2)}`,
  );
  process.stdout.write(`${name}: µs per span: ${perSpan.join(', ')}\n`);
};

const runId = run.id;
measure('wide (1 KB)', wideBodies(1, runId));
measure('varied (all kinds)', variedBodies(2, runId));
