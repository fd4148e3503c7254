// Written by npm run generate from the contract: change that.

export type ChangeProject = {
  /** Name of the project, unique in the organisation; null: unchanged. */
  readonly name?: string | null;
  /** Purpose of the project; null: unchanged. */
  readonly description?: string | null;
  /** Labels that replace the present ones, 100 at most; null: unchanged. */
  readonly labels?: readonly string[] | null;
};

export type CreateProject = {
  /** Name of the project, unique in the organisation, 1 to 255 characters. */
  readonly name: string;
  /** Kind of the project; null: `gen_ai`. */
  readonly type?: 'gen_ai' | 'prompt_evaluation' | 'llm_monitor' | 'protect' | null;
};

export type ListUnpricedModelsResponse = {
  /** Models that can be used, 200 at most. */
  readonly models: readonly UnpricedModel[];
};

export type ListingCreatorFilter = {
  /** Column that the condition is about. */
  readonly name: 'id' | 'created_by';
  /** Comparison of the column with `value`. Default: "eq". */
  readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
  /** Id; list for `one_of`, `not_in`. */
  readonly value: string | readonly string[];
};

export type ListingDateFilter = {
  /** Column that the condition is about. */
  readonly name: 'created_at' | 'updated_at';
  /** Comparison of the column with `value`. */
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
  /** Instant that the column is compared with, to the microsecond. */
  readonly value: string;
};

/** The columns that an operation knows; another name is a validation error. */
export type ListingFilter = ListingCreatorFilter | ListingNameFilter | ListingDateFilter;

export type ListingNameFilter = {
  /** Column that the condition is about. */
  readonly name: 'name';
  /** Comparison of the column with `value`. */
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  /** Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`. */
  readonly value?: string | readonly string[] | boolean;
  /** False compares after Unicode simple case folding of both sides. Default: true. */
  readonly case_sensitive?: boolean;
};

export type ListingQuery = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly ListingFilter[] | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: ListingSort | null;
};

export type ListingSort = {
  /** Column that the rows are sorted by; ties by `created_at`, then `id`. */
  readonly name: 'name' | 'created_at' | 'updated_at';
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. */
  readonly sort_type?: 'column' | null;
};

export type MatchModelPrice = {
  /** Name of the model; null: unknown. */
  readonly model: string;
  /** Time of the event, in UTC to the microsecond. */
  readonly at?: string | null;
};

export type Message = {
  /** One sentence about what was done. */
  readonly message: string;
};

export type Permission = {
  /** Action that the element is about, for example `update`. */
  readonly action: string;
  /** True when the caller may do it. */
  readonly allowed: boolean;
  /** Reason why the action is not allowed; null when it is. */
  readonly message: string | null;
};

export type Price = {
  /** Name of the model, 1 to 255 characters; a `*` at its end stands for any end. */
  readonly model: string;
  /** Time from which the price holds; one price of a model per time. */
  readonly from: string;
  /** Dollars per million input tokens. */
  readonly input: number;
  /** Dollars per million output tokens. */
  readonly output: number;
  /** Dollars per million cached input tokens; absent: as `input`. */
  readonly cache_read?: number;
  /** Dollars per million cache creation input tokens; absent: as `input`. */
  readonly cache_write?: number;
  /** Dollars per million reasoning tokens; absent: as `output`. */
  readonly reasoning?: number;
  /** Dollars per million audio input tokens; absent: as `input`. */
  readonly input_audio?: number;
  /** Dollars per million audio output tokens; absent: as `output`. */
  readonly output_audio?: number;
  /** Dollars per million image input tokens; absent: as `input`. */
  readonly input_image?: number;
  /** Dollars per million image output tokens; absent: as `output`. */
  readonly output_image?: number;
};

export type PriceInput = {
  /** Name of the model, 1 to 255 characters; a `*` at its end stands for any end. */
  readonly model: string;
  /** Time from which the price holds; one price of a model per time. */
  readonly from: string;
  /** Dollars per million input tokens. */
  readonly input: number;
  /** Dollars per million output tokens. */
  readonly output: number;
  /** Dollars per million cached input tokens; absent: as `input`. */
  readonly cache_read?: number;
  /** Dollars per million cache creation input tokens; absent: as `input`. */
  readonly cache_write?: number;
  /** Dollars per million reasoning tokens; absent: as `output`. */
  readonly reasoning?: number;
  /** Dollars per million audio input tokens; absent: as `input`. */
  readonly input_audio?: number;
  /** Dollars per million audio output tokens; absent: as `output`. */
  readonly output_audio?: number;
  /** Dollars per million image input tokens; absent: as `input`. */
  readonly input_image?: number;
  /** Dollars per million image output tokens; absent: as `output`. */
  readonly output_image?: number;
};

export type PriceList = {
  /** Prices of models, 500 at most. */
  readonly prices: readonly Price[];
  /** True: models without a price of their own have the shipped one. */
  readonly use_shipped: boolean;
  /** Day on which the shipped prices were read; it names their version. */
  readonly shipped_version: string;
};

export type PriceMatch = {
  /** Price that the model has; null: none. */
  readonly entry: Price | null;
  /**
   * Way in which the name was found: as it is, by a pattern, or in its simplified form; null:
   * the model has no price.
   */
  readonly rule: 'exact' | 'pattern' | 'simplified' | 'simplified_pattern' | null;
  /**
   * List that has the price: the one of the project, or the shipped one; null: none.
   */
  readonly list: 'project' | 'shipped' | null;
};

export type Project = {
  /** Id of the project. */
  readonly id: string;
  /** Name of the project, unique in the organisation. */
  readonly name: string;
  /** Kind of the project: `gen_ai`. */
  readonly type: string;
  /** Purpose of the project; null: none. */
  readonly description: string | null;
  /** Labels of the project, 100 at most. */
  readonly labels: readonly string[];
  /** Id of the user who created it. */
  readonly created_by: string;
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Always false. */
  readonly bookmark: boolean;
  /** Newest runs of the project, 100 at most. */
  readonly runs: readonly RunSummary[];
  /** Effective role of the caller in the project, at most that of the key. */
  readonly role: 'viewer' | 'annotator' | 'editor' | 'owner';
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
};

export type ProjectPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Projects on this page. */
  readonly projects: readonly Project[];
};

export type RunSummary = {
  /** Id of the run. */
  readonly id: string;
  /** Name of the run, unique by project and kind. */
  readonly name: string;
  /** Kind of the run. */
  readonly kind: 'log_stream' | 'experiment' | 'metrics_testing';
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC; null: never changed. */
  readonly updated_at: string | null;
};

export type SetPriceList = {
  /** Prices of models, 500 at most. */
  readonly prices: readonly PriceInput[];
  /** True: models without a price of their own have the shipped one. */
  readonly use_shipped?: boolean;
};

export type ShippedPrice = {
  /** Name of the model, 1 to 255 characters; a `*` at its end stands for any end. */
  readonly model: string;
  /** Time from which the price holds; one price of a model per time. */
  readonly from: string;
  /** Dollars per million input tokens. */
  readonly input: number;
  /** Dollars per million output tokens. */
  readonly output: number;
  /** Dollars per million cached input tokens; absent: as `input`. */
  readonly cache_read?: number;
  /** Dollars per million cache creation input tokens; absent: as `input`. */
  readonly cache_write?: number;
  /** Dollars per million reasoning tokens; absent: as `output`. */
  readonly reasoning?: number;
  /** Dollars per million audio input tokens; absent: as `input`. */
  readonly input_audio?: number;
  /** Dollars per million audio output tokens; absent: as `output`. */
  readonly output_audio?: number;
  /** Dollars per million image input tokens; absent: as `input`. */
  readonly input_image?: number;
  /** Dollars per million image output tokens; absent: as `output`. */
  readonly output_image?: number;
  /** Page of the provider on which the price was read. */
  readonly source: string;
};

export type ShippedPriceList = {
  /** Day on which the prices were read. */
  readonly version: string;
  /** Prices of models in the order of their providers. */
  readonly prices: readonly ShippedPrice[];
};

export type UnpricedModel = {
  /** Name of the model; null: spans that name none. */
  readonly model: string | null;
  /** Number of llm spans that have tokens and no cost. */
  readonly spans: number;
  /** Sum of the total tokens of these spans. */
  readonly tokens: number;
  /** Price that spans logged now have, else the nearest by name; null: none is near. */
  readonly entry: Price | null;
  /** Way in which a price is found now; null: the model has none. */
  readonly rule: 'exact' | 'pattern' | 'simplified' | 'simplified_pattern' | null;
  /** List that has the price of now; null: the model has none. */
  readonly list: 'project' | 'shipped' | null;
};

export type UserSummary = {
  /** Id of the user. */
  readonly id: string;
  /** E-mail address of the user. */
  readonly email: string;
  /** First name of the user; empty when unknown. */
  readonly first_name: string;
  /** Last name of the user; empty when unknown. */
  readonly last_name: string;
};
