import { throwIfAborted } from '../kernel/query-context.js';
import { canonicalJson } from '../kernel/canonical-json.js';
import { logStart, type Position } from '../kernel/ports.js';
import type { DumpItem } from '../kernel/documents.js';
import type { Json } from '../kernel/schema-types.js';
import { Fault } from '../kernel/fault.js';
import {
  fillShadow,
  type FillCheckpoint,
  type FillShadowNeeds,
  type RebuildProgress,
} from './fill-shadow.js';
import { openProgressMeter } from './progress.js';
import { subscriptionOf, type Runner, type RunnerNeeds } from './runner.js';
import type { Subscription } from './subscription.js';

const stalledFault = ({ readModel, position, failure }: Subscription): Fault =>
  new Fault('conflict', `${readModel.name} is stalled at ${position}: ${failure?.reason}`);
/** Poll interval for a read model that is behind. */
const pollMs = 100;
/** Retries allowed for a read model that was failing when this began: it is retried within 5 s. */
const triesMax = 2;

type Needs = Pick<RunnerNeeds, 'reader' | 'checkedDecode' | 'parking' | 'clock'> & {
  readonly runner: Runner;
};

export type Difference = {
  readonly key: string;
  /** Null: absent. */
  readonly stored: Json;
  readonly replayed: Json;
};
export type VerificationResult = {
  readonly name: string;
  readonly version: number;
  /** Both sides have folded the log up to here. */
  readonly position: Position;
  readonly items: number;
  /** Parked streams, of which both sides have only the events before. */
  readonly parked: number;
  /** The first difference by key; null = the read model equals a replay. */
  readonly difference: Difference | null;
};

/**
 * Verifies a read model: replays the log from the first event into a copy, up to the position of
 * the live read model once it has all that the log had when this began, and compares the two item
 * by item in canonical JSON. The runner waits for the last stretch and the comparison. Throws Fault
 * `conflict` when the read model does not proceed, for example where the log is damaged, and the
 * abort reason when `signal` aborts. A paused one is compared at its position.
 */
export const verify = async (
  { reader, checkedDecode, parking, runner, clock }: Needs,
  name: string,
  signal: AbortSignal,
  progress?: (progress: RebuildProgress) => void,
): Promise<VerificationResult> => {
  const subscription = subscriptionOf(runner, name);
  const copy = await subscription.readModel.shadow({ reference: true });
  const report = progress === undefined ? null : openProgressMeter(name, clock, logStart, progress);
  try {
    const decode = await checkedDecode();
    const fillNeeds = (): FillShadowNeeds => ({
      reader,
      decode,
      sink: copy.model,
      fence: parking.fence(),
      parkedAndSkipped: parking.of(name),
      signal,
      afterPage: async (page) => report?.(page),
    });
    const head = await reader.head();
    let begun: FillCheckpoint = { position: logStart, poisons: new Map() };
    let failures: number | null = null;
    for (;;) {
      begun = await fillShadow(fillNeeds(), begun, subscription.position);
      const { position, paused, failure } = subscription;
      if (position >= head || paused) break;
      failures = failure === null ? null : (failures ?? failure.failures);
      const retries = (failure?.failures ?? 0) - (failures ?? 0);
      if (retries >= triesMax) throw stalledFault(subscription);
      await clock.wait(pollMs, signal);
      throwIfAborted({ signal });
    }
    return await runner.exclusively(async () => {
      const { position } = await fillShadow(fillNeeds(), begun, subscription.position);
      const compared = await compareDumps(
        untilAborted(signal, subscription.readModel.dump()),
        copy.model.dump(),
      );
      const parked = parking.of(name).parked.size;
      return { name, version: subscription.readModel.version, position, parked, ...compared };
    });
  } finally {
    await copy.discard();
  }
};

async function* untilAborted(
  signal: AbortSignal,
  items: AsyncIterable<DumpItem>,
): AsyncIterable<DumpItem> {
  for await (const item of items) {
    throwIfAborted({ signal });
    yield item;
  }
}

/** Compares two dumps, both by key in code point order. */
export const compareDumps = async (
  stored: AsyncIterable<DumpItem>,
  replayed: AsyncIterable<DumpItem>,
): Promise<Pick<VerificationResult, 'items' | 'difference'>> => {
  const left = stored[Symbol.asyncIterator]();
  const right = replayed[Symbol.asyncIterator]();
  for (let items = 0; ; items += 1) {
    const [one, other] = await Promise.all([left.next(), right.next()]);
    if (one.done === true && other.done === true) return { items, difference: null };
    const difference = differenceOf(
      one.done === true ? null : one.value,
      other.done === true ? null : other.value,
    );
    if (difference !== null) {
      await Promise.all([left.return?.(), right.return?.()]);
      return { items, difference };
    }
  }
};

const differenceOf = (one: DumpItem | null, other: DumpItem | null): Difference | null => {
  if (one !== null && other !== null && one.key === other.key) {
    return canonicalJson(one.value) === canonicalJson(other.value)
      ? null
      : { key: one.key, stored: one.value, replayed: other.value };
  }
  if (one !== null && (other === null || codePointsBefore(one.key, other.key))) {
    return { key: one.key, stored: one.value, replayed: null };
  }
  return { key: other?.key ?? '', stored: null, replayed: other?.value ?? null };
};

/** UTF-16 order and code point order differ beyond U+FFFF. */
const codePointsBefore = (one: string, other: string): boolean => {
  const [left, right] = [Array.from(one), Array.from(other)];
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at === -1) return left.length < right.length;
  return (left[at]?.codePointAt(0) ?? 0) < (right[at]?.codePointAt(0) ?? -1);
};
