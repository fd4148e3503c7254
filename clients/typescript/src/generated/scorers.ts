// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download, Paged, WaitOptions } from '../call.js';
import type { Message } from './projects-types.js';
import type {
  AddScorerVersion,
  ChangeScorer,
  CountedScorerSettings,
  CreateScorer,
  ListScorers,
  PastScoringJob,
  PastScoringRequest,
  ScorePastResponse,
  ScorerVersion,
} from './scorers-types.js';
import type {
  Scorer,
  ScorerPage,
  ScorerSettings,
  ScorerSettingsInput,
  ScorerTask,
  ScorerVersionPage,
  ValidateScorer,
  ValidateScorerOnDataset,
  ValidateScorerOnDatasetResponse,
  ValidateScorerResponse,
} from './scorers-types-2.js';

/** Code that scores records, its versions and its validation. */
export class Scorers {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Validate a code scorer against rows of a dataset. Runs in the background, in a sandbox:
   * poll the task for the result. (contract 4.11)
   */
  validateOnDataset(
    input: ValidateScorerOnDataset,
    options?: CallOptions,
  ): Promise<ValidateScorerOnDatasetResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/scorers/code/validate/dataset', isKeyed: true, sends: 'form' },
      input,
      options,
    );
  }
  /**
   * Validate a code scorer on one sample. One sample for each type of node. Runs in the
   * background, in a sandbox: poll the task. (contract 5.10)
   */
  validate(input: ValidateScorer, options?: CallOptions): Promise<ValidateScorerResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/scorers/code/validate', isKeyed: true, sends: 'form' },
      input,
      options,
    );
  }
  /**
   * A validation task of a code scorer. `result` is null until the task is completed or
   * failed. `unknown_parameters` in it names parameters of `scorer_fn` that nothing is passed
   * for, `known_parameters` all that are passed. (contract 4.13)
   */
  pollValidation(input: { readonly task_id: string }, options?: CallOptions): Promise<ScorerTask> {
    return this.#call.answer(
      { method: 'GET', path: '/scorers/code/validate/{task_id}', isRead: true },
      input,
      options,
    );
  }
  /** Asks pollValidation until it is over and resolves with the last answer, however it ended. */
  waitForValidation(
    input: { readonly task_id: string },
    options?: WaitOptions<ScorerTask>,
  ): Promise<ScorerTask> {
    return this.#call.wait(
      { method: 'GET', path: '/scorers/code/validate/{task_id}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Create a code scorer. It scores nothing until a version with code is added. (contract
   * 5.10)
   */
  create(input: CreateScorer, options?: CallOptions): Promise<Scorer> {
    return this.#call.answer({ method: 'POST', path: '/scorers', isKeyed: true }, input, options);
  }
  /**
   * Scorers of the organisation, filtered, sorted and paged. With the presets that every
   * organisation has. By name unless `sort` says otherwise. (contract 5.10)
   */
  list(
    input: ListScorers = {},
    options?: CallOptions,
  ): Paged<ScorerPage, ScorerPage['scorers'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/scorers/list', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'scorers',
    );
  }
  /** One scorer. With its default and its latest version. (contract 5.10) */
  get(input: { readonly scorer_id: string }, options?: CallOptions): Promise<Scorer> {
    return this.#call.answer(
      { method: 'GET', path: '/scorers/{scorer_id}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Change the details of a code scorer. Members that are left out stay as they are; presets
   * cannot be changed. (contract 5.10)
   */
  change(
    input: { readonly scorer_id: string } & ChangeScorer,
    options?: CallOptions,
  ): Promise<Scorer> {
    return this.#call.answer(
      { method: 'PATCH', path: '/scorers/{scorer_id}', isKeyed: true },
      input,
      options,
    );
  }
  /** Delete a code scorer. Scores that it gave stay. (contract 5.10) */
  delete(input: { readonly scorer_id: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer({ method: 'DELETE', path: '/scorers/{scorer_id}' }, input, options);
  }
  /**
   * Add a validated file as the newest version of a code scorer. The same file must have been
   * found valid before. (contract 5.10)
   */
  addVersion(
    input: { readonly scorer_id: string } & AddScorerVersion,
    options?: CallOptions,
  ): Promise<ScorerVersion> {
    return this.#call.answer(
      { method: 'POST', path: '/scorers/{scorer_id}/version/code', isKeyed: true, sends: 'form' },
      input,
      options,
    );
  }
  /**
   * The file of a version of a code scorer. Of the latest version, unless `version` names
   * another. (contract 5.10)
   */
  code(
    input: { readonly scorer_id: string; readonly version?: number },
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      { method: 'GET', path: '/scorers/{scorer_id}/version/code', isRead: true, query: 'version' },
      input,
      options,
    );
  }
  /** Versions of a code scorer, newest first. Versions count from 1. (contract 5.10) */
  listVersions(
    input: {
      readonly scorer_id: string;
      readonly starting_token?: number;
      readonly limit?: number;
    },
    options?: CallOptions,
  ): Paged<ScorerVersionPage, ScorerVersionPage['versions'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/scorers/{scorer_id}/versions',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'versions',
    );
  }
  /**
   * Scorers of a run. They score each trace of the run when it is complete, and again when it
   * changes; `counts` says what became of the records of each. (contract 5.10)
   */
  settings(
    input: { readonly project_id?: string; readonly run_id: string },
    options?: CallOptions,
  ): Promise<CountedScorerSettings> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/runs/{run_id}/scorer-settings', isRead: true },
      input,
      options,
    );
  }
  /** Choose the scorers of a run. Replaces the list; at most 50. (contract 5.10) */
  setSettings(
    input: {
      readonly project_id?: string;
      readonly run_id: string;
      readonly body: ScorerSettingsInput;
    },
    options?: CallOptions,
  ): Promise<ScorerSettings> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/runs/{run_id}/scorer-settings',
        isKeyed: true,
        sends: 'whole',
      },
      input,
      options,
    );
  }
  /**
   * Replace the scorers of a run. The whole list is replaced, as by POST. (contract 5.10)
   */
  changeSettings(
    input: {
      readonly project_id?: string;
      readonly run_id: string;
      readonly body: ScorerSettingsInput;
    },
    options?: CallOptions,
  ): Promise<ScorerSettings> {
    return this.#call.answer(
      {
        method: 'PATCH',
        path: '/projects/{project_id}/runs/{run_id}/scorer-settings',
        isKeyed: true,
        sends: 'whole',
      },
      input,
      options,
    );
  }
  /**
   * Score what a run holds already. Complete traces of the run that the filters choose, by
   * the newest version of the scorer, each record at most once by a version. A job: poll the
   * same address; DELETE cancels it. (contract 5.10)
   */
  scorePast(
    input: {
      readonly project_id?: string;
      readonly run_id: string;
      readonly scorer_id: string;
    } & PastScoringRequest,
    options?: CallOptions,
  ): Promise<ScorePastResponse> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /**
   * How far scoring of what was there has come. The newest job of the run and the scorer,
   * with what failed, and where. (contract 5.10)
   */
  pastScoring(
    input: { readonly project_id?: string; readonly run_id: string; readonly scorer_id: string },
    options?: CallOptions,
  ): Promise<PastScoringJob> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score',
        isRead: true,
      },
      input,
      options,
    );
  }
  /** Asks pastScoring until it is over and resolves with the last answer, however it ended. */
  waitForPastScoring(
    input: { readonly project_id?: string; readonly run_id: string; readonly scorer_id: string },
    options?: WaitOptions<PastScoringJob>,
  ): Promise<PastScoringJob> {
    return this.#call.wait(
      {
        method: 'GET',
        path: '/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score',
        isRead: true,
      },
      input,
      options,
    );
  }
  /**
   * Stop scoring what was there. What was scored stays. Again, or after the end: nothing
   * happens. (contract 5.10)
   */
  cancelPastScoring(
    input: { readonly project_id?: string; readonly run_id: string; readonly scorer_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score' },
      input,
      options,
    );
  }
}
