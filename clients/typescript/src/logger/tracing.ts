import { invalidInput } from '../fault.js';
import type { AsyncContext } from '../runtime.js';
import { batchPartsOf, sizeOf, spanParts, recordBytes } from './batch-parts.js';
import type { Queue } from './queue.js';
import { addFacts, openSpan, openTrace, recordOf } from './steps.js';
import type { LogTarget, OpenStep, SpanFacts, SpanStart, TraceStart } from './steps.js';
import { nameOf, textOf } from './values.js';
import type { Warn } from './warnings.js';

/** A running step. Its methods never throw, except what the function of a span throws. */
export type Step = {
  readonly id: string;
  readonly traceId: string;
  /** Tags are added, metadata and metrics merged; other facts overwrite. */
  readonly set: (facts: SpanFacts) => void;
  /** Runs the function as a step below this one and returns what it returns. */
  readonly span: RunStep<SpanStart>;
};
export type RunStep<Start> = {
  <T>(name: string, run: (step: Step) => T): T;
  <T>(name: string, start: Start, run: (step: Step) => T): T;
};

export type Tracing = {
  readonly trace: RunStep<TraceStart>;
  /** Runs the function below the current step, else in a trace of its own. */
  readonly span: RunStep<SpanStart>;
  /** Ends running traces as incomplete. */
  readonly close: () => void;
};

export type TracingSettings = {
  readonly project: string | null;
  readonly place: LogTarget;
  readonly queue: Queue;
  readonly ambient: AsyncContext;
  /** True while ended records are still sent. */
  readonly isOpen: () => boolean;
  /** Called when a trace begins. */
  readonly onBegin: () => void;
  /** Called when parts were enqueued. */
  readonly wakeSender: () => void;
  readonly warn: Warn;
};

/** Limit of running traces: beyond it the oldest is sent as incomplete, as some never end. */
const goingMax = 10_000;

/** Tracing never changes what the traced functions return or throw. */
export const openTracing = (settings: TracingSettings): Tracing => {
  const { ambient, warn } = settings;
  const going = new Set<OpenStep>();
  const end = (open: OpenStep, isComplete = true): void => {
    going.delete(open);
    endStep(open, isComplete, settings);
  };

  const run = <T>(open: OpenStep, work: (step: Step) => T): T => {
    const step: Step = {
      id: open.id,
      traceId: open.root.id,
      set: (facts) => ignoreErrors(() => addFacts(open, facts, warn)),
      span: below(() => open),
    };
    const ended = (facts: SpanFacts): void =>
      ignoreErrors(() => {
        open.facts = { ...facts, ...open.facts };
        end(open);
      });
    const failed = (error: unknown): void => {
      ignoreErrors(() => addFacts(open, { metadata: { 'error.message': textOf(error) } }, warn));
      ended({ statusCode: 500 });
    };
    let result: T;
    try {
      result = ambient.within(open, () => work(step));
    } catch (error) {
      failed(error);
      throw error;
    }
    const succeeded = (output: unknown): void => ended({ output, statusCode: 200 });
    return onSettled(result, succeeded, failed);
  };

  const trace = <T>(name: string, start: TraceStart, work: (step: Step) => T): T => {
    const open = openTrace(name, start, settings.place, warn);
    ignoreErrors(() => {
      going.add(open);
      const [oldest] = going;
      if (going.size > goingMax && oldest !== undefined) end(oldest, false);
      settings.onBegin();
    });
    return run(open, work);
  };
  const below = (parentOf: () => OpenStep | null): RunStep<SpanStart> =>
    withStart(<T>(name: string, start: SpanStart, work: (step: Step) => T): T => {
      const parent = parentOf();
      if (parent !== null) return run(openSpan(name, start, parent, warn), work);
      return trace(name, {}, (step) => step.span(name, start, work));
    });
  return {
    trace: withStart(trace),
    span: below(() => ambient.current() as OpenStep | null),
    close: () => ignoreErrors(() => [...going].forEach((open) => end(open, false))),
  };
};

/** Makes the start facts optional. */
const withStart = <Start>(
  full: <T>(name: string, start: Start, work: (step: Step) => T) => T,
): RunStep<Start> => {
  return <T>(
    name: string,
    ...rest: readonly [(step: Step) => T] | readonly [Start, (step: Step) => T]
  ): T => (rest.length === 1 ? full(name, {} as Start, rest[0]) : full(name, rest[0], rest[1]));
};

/**
 * Promises are observed and returned unchanged. Other thenables may begin to work only when `then`
 * is called: it is called once, and a promise is returned.
 */
const onSettled = <T>(
  result: T,
  done: (value: unknown) => void,
  failed: (e: unknown) => void,
): T => {
  if (result instanceof Promise) {
    result.then(done, failed);
    return result;
  }
  if (typeof (result as { readonly then?: unknown } | null | undefined)?.then !== 'function') {
    done(result);
    return result;
  }
  const settled = Promise.resolve(result as unknown);
  settled.then(done, failed);
  return settled as T;
};

/** Keeps errors of the logger out of the program. */
const ignoreErrors = (work: () => void): void => {
  try {
    work();
  } catch {
    // The record is not logged.
  }
};

const endStep = (open: OpenStep, isComplete: boolean, settings: TracingSettings): void => {
  if (open.hasEnded) return;
  open.hasEnded = true;
  const { queue, project } = settings;
  if (project === null || open.root.fate.isLost || !settings.isOpen()) {
    const missing = project === null ? invalidInput(['path', 'project_id'], noProject) : null;
    const { records: held, bytes } = sizeOf(open.below);
    const reason = settings.isOpen() ? 'refused' : 'left';
    return queue.drop({ records: held + 1, held, bytes }, reason, missing);
  }
  const text = recordText(open, settings.warn);
  const ended = { text, bytes: recordBytes(text), below: open.below };
  if (open.kind === 'trace') endTrace(open, ended, { ...settings, project }, isComplete);
  else endSpan(open, ended, { ...settings, project });
  // The record has all of it now.
  open.facts = {};
};

/** Records the step even if its facts cannot be serialised. */
const recordText = (open: OpenStep, warn: Warn): string => {
  try {
    return JSON.stringify(recordOf(open, warn));
  } catch (error) {
    warn('record', `"${nameOf(open.name)}" is recorded without its members: ${textOf(error)}`);
    return JSON.stringify(recordOf({ ...open, facts: {} }, warn));
  }
};
const noProject = 'Field required: name one by new Assay({ project }) or ASSAY_PROJECT';

type EndedStep = {
  readonly text: string;
  readonly bytes: number;
  readonly below: OpenStep['below'];
};
type ReadySettings = TracingSettings & { readonly project: string };

const endTrace = (
  open: OpenStep,
  ended: EndedStep,
  { queue, project, wakeSender }: ReadySettings,
  done: boolean,
) => {
  const { id, place, fate } = open.root;
  open.root.hasEnded = true;
  if (queue.reserve(ended.bytes)) {
    queue.enqueue(batchPartsOf(project, { ...ended, id, place, isComplete: done }, fate));
    return wakeSender();
  }
  fate.isLost = true;
  const { records, bytes } = sizeOf(open.below);
  queue.drop({ records, held: records, bytes }, 'full', null);
};

/** Ends a span; one that ends after its trace is sent by itself. */
const endSpan = (
  open: OpenStep,
  ended: EndedStep,
  { queue, project, wakeSender }: ReadySettings,
): void => {
  const parent = parentWithRoom(open);
  open.isDropped = !queue.reserve(ended.bytes);
  const span = { ...ended, parentId: parent?.id ?? open.root.id };
  const spans = open.isDropped ? open.below : [span];
  if (!open.root.hasEnded) {
    parent?.below.push(...spans);
    return;
  }
  queue.enqueue(spanParts(project, open.root.id, spans, open.root.fate));
  wakeSender();
};

const parentWithRoom = ({ parent }: OpenStep): OpenStep | null => {
  for (let at = parent; at !== null; at = at.parent) if (!at.isDropped) return at;
  return null;
};
