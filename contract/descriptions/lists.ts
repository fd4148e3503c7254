import type { Descriptions } from './descriptions.js';

const leaves =
  'TextFilter IdFilter DateFilter NumberFilter BooleanFilter CollectionFilter FullyAnnotatedFilter';
const textFilters = 'ListingNameFilter ExperimentTextFilter ScorerTextFilter UserTextFilter';
const experimentColumns =
  '`name`, `created_at`, `updated_at`, `rank`, `ranking_score` or `metrics/<name>`';

/** Pages, sorting and filters (contract 1.10, 3.7, 3.8). */
export const listDescriptions: Descriptions = {
  members: {
    limit: 'Rows of one page at most, 1 to 1,000.',
    starting_token: 'Offset of the first row of the page, from 0.',
    next_starting_token: '`starting_token` of the next page; null on the last page.',
    paginated: 'True when this page is not the whole result.',
    last_row_id: 'Id of the last record of the page; null on an empty page.',
    total_count: 'Number of records that match, over all pages.',
    sort: 'Order of the rows; null: newest `created_at` first, then `id` descending.',
    ascending: 'True sorts the lowest value first, false the highest.',
    sort_type: 'Kind of sorting; `column` is the only one.',
    filters: 'Conditions that must all hold, 100 at most; null or empty: no condition.',
    filter_tree: 'Node of conditions, which must hold beside `filters`; null: no condition.',
    operator: 'Comparison of the column with `value`.',
    case_sensitive: 'False compares after Unicode simple case folding of both sides.',
    column_id: 'Column id, for example `metrics/toxicity`.',
    filter: 'One condition on one column.',
    and: 'Nodes that must all hold, at least one; another spelling of `and_`.',
    and_: 'Nodes that must all hold, at least one.',
    or: 'Nodes of which at least one must hold.',
    or_: 'Nodes of which at least one must hold; another spelling of `or`.',
    not: 'Node that must not hold.',
    not_: 'Node that must not hold; another spelling of `not`.',
    any_span: 'Node that at least one span of the trace must meet.',
    all_spans: 'Node that each span of the trace must meet; true without spans.',
    no_span: 'Node that no span of the trace may meet.',
    any_trace: 'Node that at least one trace of the session must meet.',
    all_traces: 'Node that each trace of the session must meet; true without traces.',
    no_trace: 'Node that no trace of the session may meet.',
    user_ids: 'Users of whom each must have rated; null: one rating by any user is enough.',
    include_counts: 'True fills the counts (`num_spans`, `num_traces`), which are null otherwise.',
    format: 'Format of the file: JSON Lines or CSV; null: `jsonl`.',
    formulas: "`escape` puts `'` before CSV texts that spreadsheets would run; null: `escape`.",
    after: 'Id of a record behind which the list begins: the `last_row_id` of a page; null: none.',
    fields:
      'Members to answer beside `id`, 1 to 60, `metrics/<name>` and `user_metadata/<key>` too; ' +
      'null: all.',
    truncate_fields: 'True cuts inputs, outputs and dataset texts to 1,000 characters.',
  },
  of: [
    {
      components: `${leaves} ErrorFilter`,
      members: {
        name: 'Column id; `column_id` is read alike.',
      },
    },
    {
      components: 'ExperimentFilter',
      members: {
        operator: 'Ignored: it is always eq.',
      },
    },
    {
      components: 'ExperimentSort',
      members: {
        name: `Column: ${experimentColumns}.`,
      },
    },
    {
      components:
        'ApiKeyPage CollaboratorPage DatasetPage DatasetRowPage DatasetVersionPage ' +
        'ExperimentComparison ExperimentPage GroupCollaboratorPage GroupMemberPage GroupPage ' +
        'LogStreamPage ProjectPage ScorerPage ScorerVersionPage SessionPage SpanPage TracePage ' +
        'SessionFieldsPage SpanFieldsPage TraceFieldsPage ' +
        'UserPage HistoryPage ResourceHistoryPage',
      members: { limit: 'Rows that this page may have, as requested.' },
    },
    {
      components: leaves,
      members: { type: 'Kind of the condition; equals `filter_type` of the column.' },
    },
    {
      components: 'TextFilter',
      members: {
        operator: 'Comparison of texts; `contains` is a literal substring, never a pattern.',
        value: 'Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`.',
      },
    },
    {
      components: 'IdFilter',
      members: { value: 'Id, compared in lower case; list for `one_of`, `not_in`.' },
    },
    {
      components: 'DateFilter ListingDateFilter',
      members: { value: 'Instant that the column is compared with, to the microsecond.' },
    },
    {
      components: 'NumberFilter',
      members: { value: 'Number; for `between` the list `[low, high]`, both included.' },
    },
    {
      components: 'BooleanFilter',
      members: { value: 'Boolean that the column equals, or with `ne` does not equal.' },
    },
    {
      components: 'ErrorFilter',
      members: {
        type: 'Kind of the condition: the record has an evaluation error of a metric.',
        operator: 'Either `any` error, or one whose code is in the list.',
        value: 'Error codes, 1 to 1,000; only with `one_of`.',
      },
    },
    {
      components: 'CollectionFilter',
      members: { value: 'Items of the set, 1,000 at most; a text is a list of one.' },
    },
    {
      components: textFilters,
      members: {
        name: 'Column that the condition is about.',
        value: 'Text; list for `contains`, `one_of`, `not_in`; boolean for `is_null`.',
      },
    },
    {
      components: 'ListingIdFilter ListingCreatorFilter',
      members: {
        name: 'Column that the condition is about.',
        value: 'Id; list for `one_of`, `not_in`.',
      },
    },
    {
      components: 'ListingDateFilter ExperimentFilter',
      members: { name: 'Column that the condition is about.' },
    },
    {
      components: 'ExperimentFilter',
      members: { value: 'Id of the experiment group.' },
    },
    {
      components: 'DatasetFilter',
      members: {
        name: '`draft`, or the link to a project that the condition is about.',
        value: 'Boolean for `draft`; id of the project for the others.',
      },
    },
    {
      components: 'UserFilter',
      members: {
        name: 'Column that the condition is about: the organisation role.',
        value: 'Organisation role; list for `one_of`.',
      },
    },
    {
      components: 'ListingSort DatasetSort ScorerSort UserSort',
      members: { name: 'Column that the rows are sorted by; ties by `created_at`, then `id`.' },
    },
    {
      components: 'RecordSort',
      members: { name: 'Column id; another spelling of `column_id`.' },
    },
    {
      components: 'ListScorers',
      members: { sort: 'Order of the scorers; null: by name, ascending.' },
    },
  ],
};
