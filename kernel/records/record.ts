import type { StreamName } from '../ports.js';
import type { JsonObject } from '../schema-types.js';

export type SpanKind = 'llm' | 'retriever' | 'tool' | 'workflow' | 'agent' | 'control';
export type RecordKind = 'session' | 'trace' | SpanKind;
export type Population = 'session' | 'trace' | 'span';
export type MetricType = 'integer' | 'floating_point' | 'boolean' | 'text';
export type MetricValue = number | boolean | string;

/**
 * What a filter, a sort or a group sees of a column: null = no value. Dates and ids in canonical
 * text.
 */
export type ColumnValue = string | number | boolean | readonly string[] | null;

/**
 * One session, trace or span as the read model holds it. `values` has the standard columns of
 * contract 3.3 that have a value; `id`, `created_at`, `project_id` and `run_id` are always there,
 * on sessions too. -0 is stored as 0. `body` has the members of the record as read (contract 5.7)
 * that `values` and `metrics` cannot give back.
 */
export type RecordRow = {
  /** The stream the row was folded from: all rows of a trace share it. */
  readonly group: StreamName;
  /** Place within the group: 0 the trace, then its spans in the order of arrival. */
  readonly ordinal: number;
  readonly kind: RecordKind;
  readonly values: Readonly<Record<string, ColumnValue>>;
  /** By metric name, without `metrics/`. Own values and roll-ups (contract 3.4). */
  readonly metrics: Readonly<Record<string, MetricCell>>;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** `<metric>_ems_error_code` and `<metric>_error_message` by metric (contract 3.9). */
  readonly errors: Readonly<Record<string, MetricError>>;
  /**
   * `<template id>/<user id>` for each current rating of the trace. Its spans have the same, as
   * they have its `is_complete`: engines may keep both once, with the trace. Of a session: the
   * pairs that all its traces have, and `<template id>/` for a template that each of its traces has
   * some rating of.
   */
  readonly annotators: readonly string[];
  /** Of a trace: all its spans. Of others 0. */
  readonly spanCount: number;
  readonly body: JsonObject;
};

/** `rolledUp`: not the record's own. */
export type MetricCell = {
  readonly value: MetricValue;
  readonly rolledUp: boolean;
  /**
   * Of an own value of a metric outside the registry: what its first value in the log was, for
   * contract 3.4 rule 2. `at` = position and ordinal as sortable text. `fraction`: it ever received
   * one.
   */
  readonly first?: { readonly at: string; readonly type: MetricType; readonly fraction: boolean };
  /**
   * Of an own value that is not a number, outside the registry: what the spans below roll up to. It
   * is what shows when the metric's type is a number, since a value that does not fit is as if
   * absent (contract 7 on 3.4).
   */
  readonly rollUp?: number;
  /**
   * Outside the registry: how numbers of this metric roll up, as the scorer that made them says.
   * Absent: by their average.
   */
  readonly method?: RollUp;
};
export type MetricError = { readonly code: number; readonly message: string | null };

export type RollUp = 'average' | 'sum' | 'max' | 'min';

/** The seven leaf kinds of contract 3.7; a column's `filter_type` is one of the first six. */
export type FilterKind = 'text' | 'id' | 'date' | 'number' | 'boolean' | 'collection';
