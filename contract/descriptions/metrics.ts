import type { Descriptions } from './descriptions.js';

/** Columns, metrics, custom search and evaluation errors (contract 3.2 to 3.4, 3.9, 4.5). */
export const metricDescriptions: Descriptions = {
  members: {
    group_label: 'Heading that the column stands under, for example `System Metrics`.',
    category: 'Origin of the column: standard catalogue, a metric, or user metadata.',
    data_type: 'Type of the values of the column.',
    data_unit: 'Unit of the values; absent for values without a unit.',
    filter_type: 'Kind of filter that the column takes.',
    filterable: 'True for every column.',
    sortable: 'False for `tags`, true for other columns.',
    multi_valued: 'True for `tags` only: a record may have several values.',
    is_empty: 'True when no considered record has a value: null, `""` and `[]` do not count.',
    is_optional: 'True when records may lack the value by their nature.',
    applicable_types: 'Record kinds that have the column; empty: every kind.',
    allowed_values: 'Values that the column may have; absent unless it is enumerated.',
    roll_up_method: 'Way in which values of spans become one of the trace; null: none.',
    threshold: 'Limits that divide the values into levels; null: none.',
    buckets: 'Ascending limits; the level of a value is the number of limits not above it.',
    display_value_levels: 'Names of the levels, one more than `buckets`, lowest first.',
    inverted: 'True when lower values are better.',
    metric_details: 'Widgets: what is aggregated, 100 at most; empty: the counts alone.',
    metric_name: 'Metric, under any of its names: `toxicity` or `metrics/toxicity`.',
    aggregation: 'Function over the values; one that does not fit the type is 422.',
    group_by: 'Column id, or 1 to 3 of them; null: no groups.',
    group_by_columns: 'Columns that the result is grouped by, in their order; empty: none.',
    population: 'Records that are counted; null: spans where a column is of spans only.',
    aggregate_metrics: 'Value of each widget and the counts, over the whole window.',
    bucketed_metrics: 'Group value as text (`all` without groups) to buckets by time.',
    ems_captured_error: 'True when a considered record has an evaluation error.',
    standard_errors: 'Errors by code; empty without errors.',
    requests_count: 'Number of traces.',
    session_count: 'Number of sessions of these traces; lone traces are not counted.',
    span_count: 'Number of spans.',
    start_bucket_time: 'Begin of the bucket, included; not clipped by the window.',
    end_bucket_time: 'End of the bucket, excluded; not clipped by the window.',
    status_type: 'Origin of the value: recorded, rolled up, or failed.',
    ems_error_code: 'Code of the evaluation error, for example 1001.',
    standard_error: 'Evaluation error that the code stands for.',
    roll_up_metrics: 'Rolled-up value by method, for example `average`.',
    error_type: 'Class of the error.',
    error_group: 'Part of the service or client where the error arose.',
    severity: 'Weight of the error, from `low` to `critical`.',
    user_action: 'Advice to the user; null: none.',
    documentation_link: 'Page that explains the error; null: none.',
    retriable: 'True when the same evaluation may succeed later.',
    blocking: 'False: an evaluation error never stops other work.',
    http_status_code: 'HTTP status behind the error; null: none.',
    source_service: 'Service that raised the error: `assay`; null: unknown.',
    context: 'Further facts about the error; empty for errors of the catalogue.',
    error_code: 'Code of the evaluation error, for example 1001.',
    avg: 'Arithmetic mean of a numeric metric; null otherwise.',
    sum: 'Sum of a numeric metric; null otherwise.',
    pct: 'Share of true of a boolean metric, 0 to 1; null otherwise.',
    p50: '50th percentile by nearest rank; null unless numeric.',
    p90: '90th percentile by nearest rank; null unless numeric.',
    p95: '95th percentile by nearest rank; null unless numeric.',
    p99: '99th percentile by nearest rank; null unless numeric.',
    value_distribution: 'Number of values by category; null if numeric or over 1,000 categories.',
    total_responses: 'Number of traces of the experiment.',
    cot_enabled: 'True adds the column `metrics/<metric_key>_explanation`.',
    metric_key: 'Name of the metric under test without `metrics/`, 1 to 128 characters.',
    prices: 'Prices of models, 500 at most.',
    use_shipped: 'True: models without a price of their own have the shipped one.',
    shipped_version: 'Day on which the shipped prices were read; it names their version.',
    rule:
      'Way in which the name was found: as it is, by a pattern, or in its simplified form; null: ' +
      'the model has no price.',
  },
  of: [
    {
      components: 'CustomSearch',
      members: {
        interval_minutes: 'Length of a bucket in minutes; null: one bucket, the whole window.',
        utc_offset_minutes:
          'Minutes east of UTC of the local time in which buckets begin: 330 for +05:30.',
      },
    },
    {
      components: 'Column',
      members: {
        id: 'Column id: a standard name, `metrics/<name>` or `user_metadata/<key>`.',
        label: 'Display name of the column.',
        description: 'One sentence about the column; empty for metrics of clients.',
        roll_up_method: 'Way in which values roll up; absent when the metric does not.',
        threshold: 'Levels of the metric; absent when it has none.',
      },
    },
    {
      components: 'ColumnList',
      members: { columns: 'Descriptors: standard columns, metrics, then user metadata.' },
    },
    {
      components: 'MetricDetail',
      members: { id: 'Widget id, unique in the request, 1 to 128 characters.' },
    },
    {
      components: 'Histogram',
      members: {
        edges: 'Ascending edges of the bins, one more than `counts`; the same in every bucket.',
        counts: 'Number of values in each bin; the last bin includes its upper edge.',
      },
    },
    {
      components: 'MetricBucket',
      members: { group_by: 'Group value in its own type; null where the value is missing.' },
    },
    {
      components: 'CustomSearchResponse',
      members: { population: 'Records that were counted: traces or spans.' },
    },
    {
      components: 'MetricSuccess',
      members: {
        value: 'Value of the metric: number, boolean or text.',
        price: 'Price behind a cost that follows from tokens; absent for other values.',
      },
    },
    {
      components: 'SpanPrice',
      members: { list: 'List that had the price: `project`, or the version of the shipped one.' },
    },
    {
      components: 'MetricRollUp',
      members: { value: 'Value rolled up from the level below.' },
    },
    {
      components: 'MetricError StructuredError',
      members: { message: 'Sentence about the error.' },
    },
    {
      components: 'MetricSummary',
      members: {
        min: 'Lowest value of a numeric metric; null otherwise.',
        max: 'Highest value of a numeric metric; null otherwise.',
        count: 'Number of values.',
      },
    },
    {
      components: 'MetricsTestingColumns',
      members: {
        name: 'Label of the metric under test, 1 to 255 characters.',
        required_scorers: 'Scorers whose metric columns are added, 100 at most.',
        score_type: 'Data type of the metric under test; null: `float`.',
      },
    },
    {
      components: 'ShippedPriceList',
      members: {
        version: 'Day on which the prices were read.',
        prices: 'Prices of models in the order of their providers.',
      },
    },
    {
      components: 'ShippedPrice',
      members: { source: 'Page of the provider on which the price was read.' },
    },
    {
      components: 'PriceMatch',
      members: {
        entry: 'Price that the model has; null: none.',
        list: 'List that has the price: the one of the project, or the shipped one; null: none.',
      },
    },
    {
      components: 'UnpricedModel',
      members: {
        model: 'Name of the model; null: spans that name none.',
        spans: 'Number of llm spans that have tokens and no cost.',
        tokens: 'Sum of the total tokens of these spans.',
        entry: 'Price that spans logged now have, else the nearest by name; null: none is near.',
        rule: 'Way in which a price is found now; null: the model has none.',
        list: 'List that has the price of now; null: the model has none.',
      },
    },
    {
      components: 'Price PriceInput ShippedPrice',
      members: {
        model: 'Name of the model, 1 to 255 characters; a `*` at its end stands for any end.',
        from: 'Time from which the price holds; one price of a model per time.',
      },
    },
  ],
};
