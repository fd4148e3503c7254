// Written by npm run client:typescript from the contract: change that.

export type BooleanFilter = {
  readonly type: 'boolean';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly operator?: 'eq' | 'ne';
  readonly value: boolean;
};

export type ChatMessage = {
  readonly content: string | readonly ContentPart[];
  readonly role: 'agent' | 'assistant' | 'developer' | 'function' | 'system' | 'tool' | 'user';
  readonly tool_call_id?: string | null;
  readonly tool_calls?: readonly ToolCall[] | null;
};

export type CollectionFilter = {
  readonly type: 'collection';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly operator: 'eq' | 'contains' | 'one_of' | 'not_in';
  readonly value: string | readonly string[];
  readonly case_sensitive?: boolean;
};

export type Column = {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly category: 'standard' | 'metric' | 'user_metadata';
  readonly group_label: string;
  readonly data_type:
    'text' | 'timestamp' | 'string_list' | 'integer' | 'uuid' | 'boolean' | 'floating_point';
  readonly data_unit?: 'percentage' | 'nano_seconds' | 'dollars';
  readonly filter_type: 'text' | 'date' | 'collection' | 'number' | 'id' | 'boolean';
  readonly filterable: boolean;
  readonly sortable: boolean;
  readonly multi_valued: boolean;
  readonly is_empty: boolean;
  readonly is_optional: boolean;
  readonly applicable_types: readonly (
    'trace' | 'llm' | 'control' | 'retriever' | 'agent' | 'tool' | 'session' | 'workflow'
  )[];
  readonly allowed_values?: readonly string[];
  readonly roll_up_method?: 'average' | 'sum' | 'max' | 'min';
  readonly threshold?: Threshold;
};

export type ColumnList = { readonly columns: readonly Column[] };

export type ColumnQuery = {
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly start_time?: string | null;
  readonly end_time?: string | null;
};

export type ContentPart = TextPart | FilePart;

export type ControlResult = {
  readonly action: 'deny' | 'steer' | 'observe';
  readonly matched: boolean;
  readonly confidence?: number | null;
  readonly error_message?: string | null;
};

export type DateFilter = {
  readonly type: 'date';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte';
  readonly value: string;
};

export type DeletedRecords = {
  readonly message: string;
  readonly deleted_count: number;
  readonly remaining: boolean;
  readonly matched_count?: number;
  readonly ids?: readonly string[];
};

export type FilePart = { readonly type: 'file'; readonly file_id: string };

export type FilterLeaf =
  | TextFilter
  | IdFilter
  | DateFilter
  | NumberFilter
  | BooleanFilter
  | CollectionFilter
  | FullyAnnotatedFilter;

/**
 * Exactly one member; a tree is at most 8 levels deep and has 100 nodes. Those of spans
 * filter traces, those of traces filter sessions; at most 10 of these.
 */
export type FilterNode =
  | { readonly filter: FilterLeaf }
  | { readonly and_: readonly FilterNode[] }
  | { readonly and: readonly FilterNode[] }
  | { readonly or: readonly FilterNode[] }
  | { readonly or_: readonly FilterNode[] }
  | { readonly not: FilterNode }
  | { readonly not_: FilterNode }
  | { readonly any_span: FilterNode }
  | { readonly all_spans: FilterNode }
  | { readonly no_span: FilterNode }
  | { readonly any_trace: FilterNode }
  | { readonly all_traces: FilterNode }
  | { readonly no_trace: FilterNode };

export type FullyAnnotatedFilter = {
  readonly type: 'fully_annotated';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly user_ids?: readonly string[] | null;
};

export type FunctionCall = { readonly name: string; readonly arguments: string };

export type IdFilter = {
  readonly type: 'id';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
  readonly value: string | readonly string[];
};

export type LlmEvent = {
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
  readonly type: 'number';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'between';
  readonly value: number | readonly number[];
};

export type RetrievedDocument = {
  readonly content: string;
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>> | null;
};

export type TextFilter = {
  readonly type: 'text';

  /** Column id; `column_id` is read alike. */
  readonly name?: string;
  readonly column_id?: string;
  readonly operator:
    'eq' | 'ne' | 'contains' | 'starts_with' | 'ends_with' | 'one_of' | 'not_in' | 'is_null';
  readonly value?: string | readonly string[] | boolean;
  readonly case_sensitive?: boolean;
};

export type TextPart = { readonly type: 'text'; readonly text: string };

export type Threshold = {
  readonly buckets: readonly number[];
  readonly display_value_levels: readonly string[];
  readonly inverted: boolean;
};

export type ToolCall = { readonly id: string; readonly function: FunctionCall };
