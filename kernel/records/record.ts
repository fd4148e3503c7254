import type { StreamName } from '../ports.js';
import type { JsonObject } from '../schema-types.js';

export type SpanKind = 'llm' | 'retriever' | 'tool' | 'workflow' | 'agent' | 'control';
export type RecordKind = 'session' | 'trace' | SpanKind;
export type Population = 'session' | 'trace' | 'span';
export type MetricType = 'integer' | 'floating_point' | 'boolean' | 'text';
export type MetricValue = number | boolean | string;

/**
 * Column value as filters, sorts and groups see it: null = no value. Dates and ids in canonical
 * text.
 */
export type ColumnValue = string | number | boolean | readonly string[] | null;

/**
 * Row of the read model: one session, trace or span. `values` has the standard columns of contract
 * 3.3 that have a value; `id`, `created_at`, `project_id` and `run_id` are always there, on
 * sessions too. -0 is stored as 0. `body` has the members of the record as read (contract 5.7) that
 * cannot be rebuilt from `values` and `metrics`.
 */
export type RecordRow = {
  /** Stream that the row was folded from, shared by all rows of a trace. */
  readonly group: StreamName;
  /** Index within the group: 0 the trace, then its spans in order of arrival. */
  readonly ordinal: number;
  readonly kind: RecordKind;
  readonly values: Readonly<Record<string, ColumnValue>>;
  /** Own values and roll-ups by metric name, without `metrics/` (contract 3.4). */
  readonly metrics: Readonly<Record<string, MetricCell>>;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** `<metric>_ems_error_code` and `<metric>_error_message` by metric (contract 3.9). */
  readonly errors: Readonly<Record<string, MetricError>>;
  /**
   * `<template id>/<user id>` for each current rating of the trace. Its spans have the same, as
   * they have its `is_complete`: engines may keep both once, with the trace. For a session: the
   * pairs that all its traces have, and `<template id>/` for a template that each of its traces is
   * rated by.
   */
  readonly annotators: readonly string[];
  /** Number of all spans of a trace; 0 for others. */
  readonly spanCount: number;
  readonly body: JsonObject;
};

/** `rolledUp`: derived from records below, not the record's own. */
export type MetricCell = {
  readonly value: MetricValue;
  readonly rolledUp: boolean;
  /**
   * For an own value of a metric outside the registry: its first value in the log, for contract 3.4
   * rule 2. `at` = position and ordinal as sortable text. `fraction`: it ever received one.
   */
  readonly first?: { readonly at: string; readonly type: MetricType; readonly fraction: boolean };
  /**
   * For an own value outside the registry that is not a number: the roll-up of the spans below. It
   * shows when the metric's type is a number, since a value that does not fit is as if absent
   * (contract 7 on 3.4).
   */
  readonly rollUp?: number;
  /** Outside the registry: the roll-up method of numbers that the scorer set. Absent: average. */
  readonly method?: RollUp;
};
export type MetricError = { readonly code: number; readonly message: string | null };

export type RollUp = 'average' | 'sum' | 'max' | 'min';

/** The seven leaf kinds of contract 3.7; a column's `filter_type` is one of the first six. */
export type FilterKind = 'text' | 'id' | 'date' | 'number' | 'boolean' | 'collection';
