// Written by npm run client:typescript from the contract: change that.

export type ChangeProject = {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly labels?: readonly string[] | null;
};

export type CreateProject = {
  readonly name: string;
  readonly type?: 'gen_ai' | 'prompt_evaluation' | 'llm_monitor' | 'protect' | null;
};

export type ListingCreatorFilter = {
  readonly name: 'id' | 'created_by';
  readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
  readonly value: string | readonly string[];
};

export type ListingDateFilter = {
  readonly name: 'created_at' | 'updated_at';
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: string;
};

/** The columns that an operation knows; another name is a validation error. */
export type ListingFilter = ListingCreatorFilter | ListingNameFilter | ListingDateFilter;

export type ListingNameFilter = {
  readonly name: 'name';
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  readonly value?: string | readonly string[] | boolean;
  readonly case_sensitive?: boolean;
};

export type ListingQuery = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
  readonly filters?: readonly ListingFilter[] | null;
  readonly sort?: ListingSort | null;
};

export type ListingSort = {
  readonly name: 'name' | 'created_at' | 'updated_at';
  readonly ascending?: boolean;
  readonly sort_type?: 'column' | null;
};

export type Message = { readonly message: string };

export type Permission = {
  readonly action: string;
  readonly allowed: boolean;
  readonly message: string | null;
};

export type Price = {
  readonly model: string;
  readonly from: string;

  /** Dollars per million input tokens. */
  readonly input: number;

  /** Dollars per million output tokens. */
  readonly output: number;
};

export type PriceInput = {
  readonly model: string;
  readonly from: string;

  /** Dollars per million input tokens. */
  readonly input: number;

  /** Dollars per million output tokens. */
  readonly output: number;
};

export type PriceList = { readonly prices: readonly Price[] };

export type Project = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly labels: readonly string[];
  readonly created_by: string;
  readonly created_by_user: UserSummary | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly bookmark: boolean;
  readonly runs: readonly RunSummary[];
  readonly permissions: readonly Permission[];
};

export type ProjectPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly projects: readonly Project[];
};

export type RunSummary = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'log_stream' | 'experiment' | 'metrics_testing';
  readonly created_at: string;
  readonly updated_at: string | null;
};

export type SetPriceList = { readonly prices: readonly PriceInput[] };

export type UserSummary = {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
};
