import { openCall, type ClientPositions } from './call.js';
import { progressLine, runExperiment } from './experiment-run.js';
import type { ExperimentRun, ExperimentTask } from './experiment-run.js';
import { Nouns } from './generated/all.js';
import { openLogger, type Logger, type LoggerOptions } from './logger/logger.js';
import { placeOf } from './logger/steps.js';
import { resolveId, namedResource } from './named-resource.js';
import { usualRetries, type RetryRules } from './retry.js';
import type { Runtime } from './runtime.js';

export type AssayOptions = {
  /** Address of the service. Default: in Node `ASSAY_URL`, else `http://localhost:8080`. */
  readonly url?: string;
  /** Default: in Node `ASSAY_API_KEY`. */
  readonly apiKey?: string;
  /** A bearer token instead of a key. */
  readonly token?: string;
  /**
   * Default project of calls and the logger: its name or its id. In Node `ASSAY_PROJECT` by
   * default. The logger creates a missing one, calls do not.
   */
  readonly project?: string;
  /** Time limit of each try of a call. 30 s. */
  readonly timeoutMs?: number;
  readonly retries?: Partial<RetryRules>;
  readonly logger?: LoggerOptions;
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof fetch;
};

/**
 * Client of the service: its operations under their nouns, and a logger. Throws a TypeError for a
 * url that is not http or https, and for a malformed id.
 */
export class AssayClient extends Nouns {
  /** Runs the function as a trace and returns what it returns. */
  readonly trace: Logger['trace'];
  /** Runs the function as a span of the current step, else in a trace of its own. */
  readonly span: Logger['span'];
  /** Counts of records that the logger has sent, lost and not yet sent. */
  readonly logged: Logger['logged'];
  /**
   * Sends the records logged so far, within 30 s by default. Resolves with true if the service
   * accepted all: none is waiting, and none was lost since the last flush.
   */
  readonly flush: Logger['flush'];
  /** Flushes for the last time: records logged later are lost. */
  readonly close: Logger['close'];

  readonly #drawLine: Runtime['drawLine'];
  readonly #warn: Logger['warn'];

  constructor(options: AssayOptions, surroundings: Runtime) {
    const { setting } = surroundings;
    const url = addressOf(options.url ?? setting('ASSAY_URL') ?? 'http://localhost:8080');
    const token = options.token ?? null;
    const apiKey = options.apiKey ?? (token === null ? setting('ASSAY_API_KEY') : undefined);
    const connection = {
      url,
      // An empty key, as of a variable that is set to nothing, counts as absent.
      apiKey: apiKey === undefined || apiKey === '' ? null : apiKey,
      token,
      fetch: options.fetch ?? ((...asked: Parameters<typeof fetch>) => fetch(...asked)),
    };
    const project = namedResource('project', options.project ?? setting('ASSAY_PROJECT'));
    const memory: ClientPositions = { position: null, settle: async () => undefined };
    const { timeoutMs = 30_000 } = options;
    const retries = { ...usualRetries, ...options.retries };
    placeOf(options.logger ?? {}, (line) => {
      throw new TypeError(line);
    });
    const bare = { connection, timeoutMs, retries, project: async () => null };
    const lookUp = openCall({ ...bare, memory: { ...memory } }).answer;
    const idOfProject = async (signal?: AbortSignal) =>
      project === null ? null : resolveId(project, lookUp, null, signal);
    super(openCall({ ...bare, memory, project: idOfProject }));
    const logger = openLogger({ connection, project, memory, surroundings }, options.logger ?? {});
    this.trace = logger.trace;
    this.span = logger.span;
    this.logged = logger.logged;
    this.flush = logger.flush;
    this.close = logger.close;
    this.#drawLine = surroundings.drawLine;
    this.#warn = logger.warn;
  }

  /**
   * Runs a task over the rows of a dataset and records each as a trace of an experiment, with what
   * evaluators return as metrics. The same call resumes a run that ended early.
   */
  runExperiment<Output>(run: ExperimentTask<Output>): Promise<ExperimentRun> {
    const usualProgress = progressLine(this.#drawLine);
    return runExperiment(this, run, { usualProgress, warn: this.#warn });
  }
}

/** Strips `/v2` and slashes at the end, since every path begins with `/v2`. */
const addressOf = (given: string): string => {
  if (!/^https?:\/\//i.test(given)) {
    throw new TypeError(`The address "${given}" does not begin with http:// or https://`);
  }
  const { origin, pathname } = new URL(given);
  return `${origin}${pathname.replace(/(\/v2)?\/*$/, '')}`;
};
