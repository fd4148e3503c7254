// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Paged } from '../call.js';
import type {
  ChangeExperiment,
  CompareExperiments,
  CreateExperiment,
} from './experiments-types.js';
import type {
  Experiment,
  ExperimentComparison,
  ExperimentPage,
  ExperimentTag,
  ExperimentTagInput,
  RankingCriteria,
  SearchExperiments,
  SetRankingCriteria,
} from './experiments-types-2.js';
import type { Message } from './projects-types.js';

/** Runs that are compared with each other, ranked and tagged. */
export class Experiments {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create an experiment. The service does not generate outputs: log traces into the
   * experiment. A new group name makes a group. (contract 5.5)
   */
  create(
    input: { readonly project_id?: string } & CreateExperiment,
    options?: CallOptions,
  ): Promise<Experiment> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/experiments', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Experiments of a project. At most 1,000; counts are null unless requested. (contract 5.5)
   */
  list(
    input: { readonly project_id?: string; readonly include_counts?: boolean } = {},
    options?: CallOptions,
  ): Promise<readonly Experiment[]> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/experiments',
        isRead: true,
        query: 'include_counts',
      },
      input,
      options,
    );
  }
  /**
   * Experiments of a project, paged. Counts are null unless requested. (contract 5.5)
   */
  page(
    input: {
      readonly project_id?: string;
      readonly starting_token?: number;
      readonly limit?: number;
      readonly include_counts?: boolean;
    } = {},
    options?: CallOptions,
  ): Paged<ExperimentPage, ExperimentPage['experiments'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/projects/{project_id}/experiments/paginated',
        isRead: true,
        query: 'starting_token limit include_counts',
      },
      input,
      options,
      'experiments',
    );
  }
  /**
   * Experiments of a project, filtered, sorted and paged. Each with its aggregates, ranking
   * score and rank among its like; `as_of` shows them as they were. (contract 4.6)
   */
  search(
    input: { readonly project_id?: string; readonly as_of?: string } & SearchExperiments = {},
    options?: CallOptions,
  ): Paged<ExperimentPage, ExperimentPage['experiments'][number]> {
    return this.#call.pages(
      {
        method: 'POST',
        path: '/projects/{project_id}/experiments/search',
        isRead: true,
        query: 'as_of',
      },
      input,
      options,
      'experiments',
    );
  }
  /**
   * One experiment, with counts. With its aggregates, ranking score and rank; `as_of` shows
   * it as it was. (contract 5.5)
   */
  get(
    input: {
      readonly project_id?: string;
      readonly experiment_id: string;
      readonly as_of?: string;
    },
    options?: CallOptions,
  ): Promise<Experiment> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/experiments/{experiment_id}',
        isRead: true,
        query: 'as_of',
      },
      input,
      options,
    );
  }
  /**
   * Rename an experiment or put it into a group. An experiment can change its group, not
   * leave it. (contract 5.5)
   */
  change(
    input: { readonly project_id?: string; readonly experiment_id: string } & ChangeExperiment,
    options?: CallOptions,
  ): Promise<Experiment> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/experiments/{experiment_id}' },
      input,
      options,
    );
  }
  /**
   * Delete an experiment with its records. Its records are not found at once and are erased.
   * (contract 5.5)
   */
  delete(
    input: { readonly project_id?: string; readonly experiment_id: string },
    options?: CallOptions,
  ): Promise<void> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/experiments/{experiment_id}' },
      input,
      options,
    );
  }
  /**
   * Compare experiments row by row of their dataset. Differences are to the first experiment,
   * the baseline. A trace is about the dataset row that its `user_metadata` names as
   * `dataset_row_id`, else about the one with its `dataset_input`. Each mean difference has a
   * 95 % interval by the paired bootstrap (percentile method), the same for the same `seed`.
   * `rows` chooses and orders rows by one metric, by default regressions first; further pages
   * need no `intervals`. (contract 5.5)
   */
  compare(
    input: { readonly project_id?: string } & CompareExperiments,
    options?: CallOptions,
  ): Paged<ExperimentComparison, ExperimentComparison['rows'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/projects/{project_id}/experiments/compare', isRead: true },
      input,
      options,
      'rows',
    );
  }
  /**
   * Ranking criteria of the experiments of a project. `default` is true until criteria are
   * set. (contract 5.5)
   */
  rankingCriteria(
    input: { readonly project_id?: string } = {},
    options?: CallOptions,
  ): Promise<RankingCriteria> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/experiments/ranking_criteria', isRead: true },
      input,
      options,
    );
  }
  /**
   * Set the ranking criteria of the experiments of a project. An empty list restores the
   * default. (contract 5.5)
   */
  setRankingCriteria(
    input: { readonly project_id?: string } & SetRankingCriteria,
    options?: CallOptions,
  ): Promise<RankingCriteria> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/experiments/ranking_criteria' },
      input,
      options,
    );
  }
  /**
   * Choose an experiment as the winner among its like. Replaces the choice among the
   * experiments of its group. (contract 5.5)
   */
  chooseWinner(
    input: { readonly project_id?: string; readonly experiment_id: string },
    options?: CallOptions,
  ): Promise<Experiment> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/experiments/{experiment_id}/winner',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /**
   * Withdraw the choice of an experiment as winner. An experiment that was not chosen has the
   * same response. (contract 5.5)
   */
  withdrawWinner(
    input: { readonly project_id?: string; readonly experiment_id: string },
    options?: CallOptions,
  ): Promise<Experiment> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/experiments/{experiment_id}/winner' },
      input,
      options,
    );
  }
  /**
   * Tags of an experiment, in the order in which they were given. At most 100. (contract 5.5)
   */
  listTags(
    input: { readonly project_id?: string; readonly experiment_id: string },
    options?: CallOptions,
  ): Promise<readonly ExperimentTag[]> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/experiments/{experiment_id}/tags',
        isRead: true,
      },
      input,
      options,
    );
  }
  /** Tag an experiment. One key may be given more than once. (contract 5.5) */
  tag(
    input: { readonly project_id?: string; readonly experiment_id: string } & ExperimentTagInput,
    options?: CallOptions,
  ): Promise<ExperimentTag> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/experiments/{experiment_id}/tags',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /** Change a tag of an experiment. All three members are replaced. (contract 5.5) */
  changeTag(
    input: {
      readonly project_id?: string;
      readonly experiment_id: string;
      readonly tag_id: string;
    } & ExperimentTagInput,
    options?: CallOptions,
  ): Promise<ExperimentTag> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/experiments/{experiment_id}/tags/{tag_id}' },
      input,
      options,
    );
  }
  /**
   * Take a tag from an experiment. Other tags with the same key stay. (contract 5.5)
   */
  untag(
    input: {
      readonly project_id?: string;
      readonly experiment_id: string;
      readonly tag_id: string;
    },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      {
        method: 'DELETE',
        path: '/projects/{project_id}/experiments/{experiment_id}/tags/{tag_id}',
      },
      input,
      options,
    );
  }
}
