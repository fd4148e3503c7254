// Written by npm run client:typescript from the contract: change that.
import type { Experiment } from './experiments-types.js';
import type { ListingCreatorFilter, ListingDateFilter } from './projects-types.js';

/** The columns that an operation knows; another name is a validation error. */
export type ExperimentFilter =
  | ListingCreatorFilter
  | ExperimentTextFilter
  | ListingDateFilter
  | {
      readonly name: 'experiment_group_id';

      /** Ignored: it is always eq. */
      readonly operator?: string;
      readonly value: string;
    };

export type ExperimentPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly experiments: readonly Experiment[];
};

export type ExperimentSort = {
  /**
   * name, created_at, updated_at, rank, ranking_score or metrics/<name>, the average.
   */
  readonly name: string;
  readonly ascending?: boolean;
  readonly sort_type?: 'column' | null;
};

export type ExperimentTagInput = {
  readonly key: string;
  readonly value: string;
  readonly tag_type: string;
};

export type ExperimentTextFilter = {
  readonly name: 'name' | 'experiment_group_name';
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  readonly value?: string | readonly string[] | boolean;
  readonly case_sensitive?: boolean;
};

export type RankingCriteria = {
  readonly criteria: readonly RankingCriterion[];
  readonly default: boolean;
};

export type RankingCriterion = {
  readonly metric: string;
  readonly weight: number;
  readonly direction: 'higher' | 'lower';
};

export type RankingCriterionInput = {
  readonly metric: string;
  readonly weight: number;
  readonly direction: 'higher' | 'lower';
};

export type SearchExperiments = {
  readonly starting_token?: number;
  readonly limit?: number;
  readonly filters?: readonly ExperimentFilter[];
  readonly sort?: ExperimentSort | null;
  readonly include_counts?: boolean;
};

export type SetRankingCriteria = { readonly criteria: readonly RankingCriterionInput[] };
