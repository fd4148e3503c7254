import { AssayClient, type AssayOptions } from './assay.js';
import { bareRuntime } from './runtime.js';

export type { AssayOptions } from './assay.js';
export type { CallOptions, Download, Paged, WaitOptions } from './call.js';
export type { ExperimentProgress, ExperimentRun, ExperimentTask } from './experiment-run.js';
export { AssayFault, isFault, type AssayFaultCode, type Complaint } from './fault.js';
export type { LoggerOptions } from './logger/logger.js';
export type { Logged, Loss } from './logger/queue.js';
export type { SpanFacts, SpanStart, TraceStart } from './logger/steps.js';
export type { Step } from './logger/tracing.js';

/**
 * A client on a page or in any runtime with `fetch`. Spans need their parent step, `step.span`; the
 * end of the page does not flush.
 */
export class Assay extends AssayClient {
  constructor(options: AssayOptions = {}) {
    super(options, bareRuntime);
  }
}
