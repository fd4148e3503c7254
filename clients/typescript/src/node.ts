import { AsyncLocalStorage } from 'node:async_hooks';
import { AssayClient, type AssayOptions } from './assay.js';
import { flushBeforeExit } from './exit.js';
import type { Runtime } from './runtime.js';

export type { AssayOptions } from './assay.js';
export type { CallOptions, Download, Paged, WaitOptions } from './call.js';
export type { ExperimentProgress, ExperimentRun, ExperimentTask } from './experiment-run.js';
export { AssayFault, isFault, type AssayFaultCode, type Complaint } from './fault.js';
export type { LoggerOptions } from './logger/logger.js';
export type { Logged, Loss } from './logger/queue.js';
export type { SpanFacts, SpanStart, TraceStart } from './logger/steps.js';
export type { Step } from './logger/tracing.js';

const store = new AsyncLocalStorage<unknown>();

const node: Runtime = {
  setting: (name) => process.env[name],
  asyncContext: {
    current: () => store.getStore() ?? null,
    within: (value, run) => store.run(value, run),
  },
  flushBeforeExit,
  drawLine: process.stderr.isTTY
    ? (line, isLast) => process.stderr.write(`\r${line}${isLast ? '\n' : ''}`)
    : null,
  inBackground: (timer) => (timer as NodeJS.Timeout).unref(),
};

/** A client in Node: reads the environment, tracks the current step, and flushes at the end. */
export class Assay extends AssayClient {
  constructor(options: AssayOptions = {}) {
    super(options, node);
  }
}
