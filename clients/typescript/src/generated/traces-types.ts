// Written by npm run generate from the contract: change that.

export type BooleanFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'boolean';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Comparison of the column with `value`. Default: "eq". */
  readonly operator?: 'eq' | 'ne';
  /** Boolean that the column equals, or with `ne` does not equal. */
  readonly value: boolean;
};

export type ChatMessage = {
  /** Text, or parts, of the message. */
  readonly content: string | readonly ContentPart[];
  /** Role of the speaker. */
  readonly role: 'agent' | 'assistant' | 'developer' | 'function' | 'system' | 'tool' | 'user';
  /** Id of the tool call that is answered; null: none. */
  readonly tool_call_id?: string | null;
  /** Tool calls that the message requests; null: none. */
  readonly tool_calls?: readonly ToolCall[] | null;
};

export type CollectionFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'collection';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Comparison of the column with `value`. */
  readonly operator: 'eq' | 'contains' | 'one_of' | 'not_in';
  /** Items of the set, 1,000 at most; a text is a list of one. */
  readonly value: string | readonly string[];
  /** False compares after Unicode simple case folding of both sides. Default: true. */
  readonly case_sensitive?: boolean;
};

export type Column = {
  /** Column id: a standard name, `metrics/<name>` or `user_metadata/<key>`. */
  readonly id: string;
  /** Display name of the column. */
  readonly label: string;
  /** One sentence about the column; empty for metrics of clients. */
  readonly description: string;
  /** Origin of the column: standard catalogue, a metric, or user metadata. */
  readonly category: 'standard' | 'metric' | 'user_metadata' | 'annotation';
  /** Heading that the column stands under, for example `System Metrics`. */
  readonly group_label: string;
  /** Type of the values of the column. */
  readonly data_type:
    'text' | 'timestamp' | 'string_list' | 'integer' | 'uuid' | 'boolean' | 'floating_point';
  /** Unit of the values; absent for values without a unit. */
  readonly data_unit?: 'percentage' | 'nano_seconds' | 'dollars';
  /** Kind of filter that the column takes. */
  readonly filter_type: 'text' | 'date' | 'collection' | 'number' | 'id' | 'boolean';
  /** True for every column. */
  readonly filterable: boolean;
  /** False for `tags`, true for other columns. */
  readonly sortable: boolean;
  /** True for `tags` only: a record may have several values. */
  readonly multi_valued: boolean;
  /** True when no considered record has a value: null, `""` and `[]` do not count. */
  readonly is_empty: boolean;
  /** True when records may lack the value by their nature. */
  readonly is_optional: boolean;
  /** Record kinds that have the column; empty: every kind. */
  readonly applicable_types: readonly (
    'trace' | 'llm' | 'control' | 'retriever' | 'agent' | 'tool' | 'session' | 'workflow'
  )[];
  /** Values that the column may have; absent unless it is enumerated. */
  readonly allowed_values?: readonly string[];
  /** Way in which values roll up; absent when the metric does not. */
  readonly roll_up_method?: 'average' | 'sum' | 'max' | 'min';
  /** Levels of the metric; absent when it has none. */
  readonly threshold?: Threshold;
};

export type ColumnList = {
  /** Descriptors: standard columns, metrics, then user metadata. */
  readonly columns: readonly Column[];
};

export type ColumnQuery = {
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Earliest `created_at`, included; null: no lower end. */
  readonly start_time?: string | null;
  /** Latest `created_at`, included; null: no upper end. */
  readonly end_time?: string | null;
};

export type ContentPart = TextPart | FilePart;

export type ControlResult = {
  /** Decision of the control. */
  readonly action: 'deny' | 'steer' | 'observe';
  /** True when the condition of the control was met. */
  readonly matched: boolean;
  /** Confidence of the control, as it gives it; null: unknown. */
  readonly confidence?: number | null;
  /** Reason why the control failed; null: it did not. */
  readonly error_message?: string | null;
};

export type DateFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'date';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Comparison of the column with `value`. */
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
  /** Instant that the column is compared with, to the microsecond. */
  readonly value: string;
};

export type DeletedRecords = {
  /** One sentence about what was done. */
  readonly message: string;
  /** Number of records that this call deleted, 1,000 at most. */
  readonly deleted_count: number;
  /** True when records that match are still there. */
  readonly remaining: boolean;
  /** Number of records that match a dry run. */
  readonly matched_count?: number;
  /** Ids that match a dry run, the first 1,000 in the order of calls. */
  readonly ids?: readonly string[];
};

export type ErrorFilter = {
  /** Kind of the condition: the record has an evaluation error of a metric. */
  readonly type: 'error';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Either `any` error, or one whose code is in the list. Default: "any". */
  readonly operator?: 'any' | 'one_of';
  /** Error codes, 1 to 1,000; only with `one_of`. */
  readonly value?: readonly number[];
};

export type FilePart = {
  /** Kind of the part or event. */
  readonly type: 'file';
  /** Id of the file. */
  readonly file_id: string;
};

export type FilterLeaf =
  | TextFilter
  | IdFilter
  | DateFilter
  | NumberFilter
  | BooleanFilter
  | CollectionFilter
  | ErrorFilter
  | FullyAnnotatedFilter;

/**
 * Exactly one member; a tree is at most 8 levels deep and has 100 nodes. Those of spans
 * filter traces, those of traces filter sessions; at most 10 of these.
 */
export type FilterNode =
  | {
      /** One condition on one column. */
      readonly filter: FilterLeaf;
    }
  | {
      /** Nodes that must all hold, at least one. */
      readonly and_: readonly FilterNode[];
    }
  | {
      /** Nodes that must all hold, at least one; another spelling of `and_`. */
      readonly and: readonly FilterNode[];
    }
  | {
      /** Nodes of which at least one must hold. */
      readonly or: readonly FilterNode[];
    }
  | {
      /** Nodes of which at least one must hold; another spelling of `or`. */
      readonly or_: readonly FilterNode[];
    }
  | {
      /** Node that must not hold. */
      readonly not: FilterNode;
    }
  | {
      /** Node that must not hold; another spelling of `not`. */
      readonly not_: FilterNode;
    }
  | {
      /** Node that at least one span of the trace must meet. */
      readonly any_span: FilterNode;
    }
  | {
      /** Node that each span of the trace must meet; true without spans. */
      readonly all_spans: FilterNode;
    }
  | {
      /** Node that no span of the trace may meet. */
      readonly no_span: FilterNode;
    }
  | {
      /** Node that at least one trace of the session must meet. */
      readonly any_trace: FilterNode;
    }
  | {
      /** Node that each trace of the session must meet; true without traces. */
      readonly all_traces: FilterNode;
    }
  | {
      /** Node that no trace of the session may meet. */
      readonly no_trace: FilterNode;
    };

export type FullyAnnotatedFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'fully_annotated';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Users of whom each must have rated; null: one rating by any user is enough. */
  readonly user_ids?: readonly string[] | null;
};

export type FunctionCall = {
  /** Name of the function. */
  readonly name: string;
  /** Arguments of the call as JSON text. */
  readonly arguments: string;
};

export type IdFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'id';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Comparison of the column with `value`. Default: "eq". */
  readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
  /** Id, compared in lower case; list for `one_of`, `not_in`. */
  readonly value: string | readonly string[];
};

export type LlmEvent = {
  /** Kind of the part or event. */
  readonly type:
    | 'message'
    | 'reasoning'
    | 'internal_tool_call'
    | 'web_search_call'
    | 'image_generation'
    | 'mcp_call'
    | 'mcp_list_tools'
    | 'mcp_approval_request';
} & Readonly<Record<string, unknown>>;

export type NumberFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'number';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Comparison of the column with `value`. */
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'between';
  /** Number; for `between` the list `[low, high]`, both included. */
  readonly value: number | readonly number[];
};

export type RetrievedDocument = {
  /** Text of the document. */
  readonly content: string;
  /** Texts, numbers and booleans by key about the document; null: none. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null;
};

export type TextFilter = {
  /** Kind of the condition; equals `filter_type` of the column. */
  readonly type: 'text';
  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  /** Column id, for example `metrics/toxicity`. */
  readonly column_id?: string;
  /** Comparison of texts; `contains` is a literal substring, never a pattern. */
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  /** Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`. */
  readonly value?: string | readonly string[] | boolean;
  /** False compares after Unicode simple case folding of both sides. Default: true. */
  readonly case_sensitive?: boolean;
};

export type TextPart = {
  /** Kind of the part or event. */
  readonly type: 'text';
  /** Text of the part. */
  readonly text: string;
};

export type Threshold = {
  /** Ascending limits; the level of a value is the number of limits not above it. */
  readonly buckets: readonly number[];
  /** Names of the levels, one more than `buckets`, lowest first. */
  readonly display_value_levels: readonly string[];
  /** True when lower values are better. */
  readonly inverted: boolean;
};

export type ToolCall = {
  /** Id of the call, which its answer names. */
  readonly id: string;
  /** Function that is called. */
  readonly function: FunctionCall;
};
