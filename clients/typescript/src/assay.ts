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
  /** Where the service is. In Node `ASSAY_URL` by default, else `http://localhost:8080`. */
  readonly url?: string;
  /** In Node `ASSAY_API_KEY` by default. */
  readonly apiKey?: string;
  /** A bearer token in place of a key. */
  readonly token?: string;
  /**
   * The project of calls that name none, and of the logger: its name or its id. In Node
   * `ASSAY_PROJECT` by default. The logger makes one that is missing, calls do not.
   */
  readonly project?: string;
  /** Of each try of a call. 30 s. */
  readonly timeoutMs?: number;
  readonly retries?: Partial<RetryRules>;
  readonly logger?: LoggerOptions;
  /** In place of that of the runtime. */
  readonly fetch?: typeof fetch;
};

/**
 * The service as an object: its operations under their nouns, and a logger. Throws a TypeError when
 * the url is none of http or https, or what should be an id is none.
 */
export class AssayClient extends Nouns {
  /** Runs the function as a trace and returns what it returns. */
  readonly trace: Logger['trace'];
  /** Runs it as a span of the step that is going on, else in a trace of its own. */
  readonly span: Logger['span'];
  /** What the logger has sent, lost and not yet sent. */
  readonly logged: Logger['logged'];
  /**
   * Sends what was logged so far, within 30 s by default. Resolves with whether the service took
   * all: nothing of it waits, and nothing was lost since the last flush.
   */
  readonly flush: Logger['flush'];
  /** The same, once and for all: what is logged later is lost. */
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
      // An empty one, as of a variable that is set to nothing, is none.
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

/** Without `/v2` and slashes at its end, since every path begins with `/v2`. */
const addressOf = (given: string): string => {
  if (!/^https?:\/\//i.test(given)) {
    throw new TypeError(`The address "${given}" does not begin with http:// or https://`);
  }
  const { origin, pathname } = new URL(given);
  return `${origin}${pathname.replace(/(\/v2)?\/*$/, '')}`;
};
