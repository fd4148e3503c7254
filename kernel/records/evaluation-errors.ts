import type { ModelErrorCode } from '../model-calls.js';
import { ownMember } from '../own-member.js';
import type { MetricError, MetricType } from './record.js';

/** Error types (contract 3.9, in its order). */
export const errorTypes = [
  'llm_api_error',
  'credentials_error',
  'data_validation_error',
  'configuration_error',
  'permission_error',
  'not_found_error',
  'workflow_error',
  'rate_limit_error',
  'system_error',
  'not_applicable_reason',
  'uncataloged_error',
] as const;
export const severities = ['low', 'medium', 'high', 'critical'] as const;

/** Structured error (contract 3.9). */
export type StructuredError = {
  readonly error_code: number;
  readonly error_type: (typeof errorTypes)[number];
  readonly error_group: string;
  readonly severity: (typeof severities)[number];
  readonly message: string;
  readonly user_action: null;
  readonly documentation_link: null;
  readonly retriable: boolean;
  readonly blocking: boolean;
  readonly http_status_code: null;
  readonly source_service: string;
  readonly context: Readonly<Record<string, never>>;
};

type ErrorEntry = {
  readonly type: StructuredError['error_type'];
  readonly group: string;
  readonly severity: StructuredError['severity'];
  /** Null: each error has its own message. */
  readonly message: string | null;
  readonly retriable: boolean;
};

/** Metric of a query that was never recorded. */
export const unknownMetricCode = 1005;
/** Metric that exists on traces only while spans are aggregated, or the other way round. */
export const otherPopulationCode = 1006;
/** Value that does not fit the type of its metric. */
export const unfitValueCode = 1007;
/** Metric that the service does not compute for texts of that size (contract 3.5). */
export const longTextsCode = 1008;

const errorCatalogue: ReadonlyMap<number, ErrorEntry> = new Map([
  [
    1001,
    {
      type: 'data_validation_error',
      group: 'scorer',
      severity: 'medium',
      message: 'The scorer raised an exception.',
      retriable: false,
    },
  ],
  [
    1002,
    {
      type: 'data_validation_error',
      group: 'scorer',
      severity: 'medium',
      message: 'The scorer returned a value of another type than it declares.',
      retriable: false,
    },
  ],
  [
    1003,
    {
      type: 'system_error',
      group: 'sandbox',
      severity: 'high',
      message: 'The scorer ran past its time or memory limit.',
      retriable: true,
    },
  ],
  [
    1004,
    {
      type: 'system_error',
      group: 'sandbox',
      severity: 'critical',
      message: 'The sandbox is not available.',
      retriable: true,
    },
  ],
  [
    unknownMetricCode,
    {
      type: 'not_found_error',
      group: 'query',
      severity: 'low',
      message: null,
      retriable: false,
    },
  ],
  [
    otherPopulationCode,
    {
      type: 'not_applicable_reason',
      group: 'query',
      severity: 'low',
      message: null,
      retriable: false,
    },
  ],
  [
    unfitValueCode,
    {
      type: 'data_validation_error',
      group: 'query',
      severity: 'low',
      message: null,
      retriable: false,
    },
  ],
  [
    longTextsCode,
    {
      type: 'not_applicable_reason',
      group: 'computed',
      severity: 'low',
      message: 'Not computed: output or reference is longer than 32 KiB. Send the metric itself.',
      retriable: false,
    },
  ],
]);

/** Errors of models (contract 3.9); each has its own message. */
const modelErrors: Readonly<Record<ModelErrorCode, Omit<ErrorEntry, 'group' | 'message'>>> = {
  1101: { type: 'configuration_error', severity: 'high', retriable: true },
  1102: { type: 'credentials_error', severity: 'high', retriable: true },
  1103: { type: 'not_found_error', severity: 'high', retriable: true },
  1104: { type: 'rate_limit_error', severity: 'medium', retriable: true },
  1105: { type: 'llm_api_error', severity: 'medium', retriable: true },
  1106: { type: 'data_validation_error', severity: 'medium', retriable: false },
  1107: { type: 'not_applicable_reason', severity: 'low', retriable: false },
  1108: { type: 'configuration_error', severity: 'high', retriable: true },
  1109: { type: 'permission_error', severity: 'high', retriable: true },
  1110: { type: 'llm_api_error', severity: 'medium', retriable: false },
  1111: { type: 'data_validation_error', severity: 'medium', retriable: false },
};

const catalogueEntry = (code: number): ErrorEntry | undefined => {
  const ofModel = ownMember(modelErrors, String(code));
  return ofModel === undefined
    ? errorCatalogue.get(code)
    : { ...ofModel, group: 'model', message: null };
};

const uncataloguedEntry: ErrorEntry = {
  type: 'uncataloged_error',
  group: 'client',
  severity: 'medium',
  message: null,
  retriable: false,
};

/** Error for a value that does not fit its metric (contract 3.4, rule 3). */
export const unfitValueError = (metric: string, type: MetricType): MetricError => ({
  code: unfitValueCode,
  message:
    `The value does not fit metric '${metric}' of type ${type}. ` +
    'Filters, sorting and aggregates do not see it.',
});

/**
 * Looks up an error code (contract 3.9). A sent message is used only where the catalogue has none.
 */
export const structuredError = ({ code, message }: MetricError): StructuredError => {
  const entry = catalogueEntry(code) ?? uncataloguedEntry;
  return {
    error_code: code,
    error_type: entry.type,
    error_group: entry.group,
    severity: entry.severity,
    message: entry.message ?? message ?? 'Unknown evaluation error.',
    user_action: null,
    documentation_link: null,
    retriable: entry.retriable,
    blocking: false,
    http_status_code: null,
    source_service: 'assay',
    context: {},
  };
};
