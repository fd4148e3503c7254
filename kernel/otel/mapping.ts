import type { Json, JsonObject } from '../schema-types.js';
import {
  inputRules,
  outputRules,
  redactedInputRules,
  redactedOutputRules,
  type OtelKind,
  type Rules,
} from './content.js';
import {
  genAiChoiceReason,
  genAiEvaluations,
  genAiFinishReason,
  genAiKind,
  type Evaluation,
} from './gen-ai.js';
import { metricRules } from './metrics.js';
import { openInferenceKind, toolSchemas } from './openinference.js';
import {
  llmRequestKind,
  numberedFinishReason,
  requestFunctions,
  traceloopKind,
} from './openllmetry.js';
import { attribute, memberOf, number, parseNumber, text, type Rule } from './rule.js';
import type { Aliases } from './span.js';
import {
  agentType,
  controlMembers,
  galileoKind,
  galileoSearch,
  modelEvents,
  splunkAliases,
} from './splunk-ao.js';
import { isJsonList, isJsonObject, parseIfJson, nonEmptyText } from './values.js';
import { vercelKind } from './vercel-ai.js';

/** Rules per member of a record (contract 5.12); the first that matches wins. */
export type OtelRules = {
  readonly kind: Rules<OtelKind>;
  /** Fallback: the name of the span. */
  readonly name: Rules<string>;
  readonly statusCode: Rules<number>;
  readonly errorMessage: Rules<string>;
  readonly input: Readonly<Record<OtelKind, Rules<Json>>>;
  readonly output: Readonly<Record<OtelKind, Rules<Json>>>;
  readonly redactedInput: Readonly<Record<OtelKind, Rules<Json>>>;
  readonly redactedOutput: Readonly<Record<OtelKind, Rules<Json>>>;
  /** Members of a record of this kind, besides the common ones. */
  readonly members: Readonly<Record<OtelKind, Readonly<Record<string, Rules<Json>>>>>;
  readonly stepNumber: Rules<number>;
  readonly datasetInput: Rules<string>;
  readonly datasetOutput: Rules<string>;
  readonly datasetMetadata: Rules<JsonObject>;
  /** Rules by metric name. */
  readonly metrics: Readonly<Record<string, Rules<number>>>;
  /** Scores of the span by name. */
  readonly evaluations: Rules<readonly Evaluation[]>;
  /** External id of the session, on a span or its resource. */
  readonly session: Rules<string>;
  /** Project and run that a resource names, by header of contract 5.12, rule 1. */
  readonly routing: Readonly<Record<RoutingHeader, Rules<string>>>;
  readonly tags: Rules<readonly string[]>;
  readonly metadata: Rules<JsonObject>;
  readonly userId: Rules<string>;
  /** Attributes that are read under other names. */
  readonly aliases: Aliases;
  /** Attribute families that become metadata under the name after the prefix. */
  readonly metadataFamilies: readonly string[];
};

/** Headers that route spans to a project and run. */
export const routingHeaders = [
  'projectid',
  'project',
  'logstreamid',
  'logstream',
  'experimentid',
  'experiment',
] as const;
export type RoutingHeader = (typeof routingHeaders)[number];

/**
 * Mapping of received spans to records. Its version is part of the records' read model: a changed
 * rule needs a new one, and then the whole history is mapped again.
 */
export type OtelMapping = { readonly version: number; readonly rules: OtelRules };

const httpStatus = (name: string): Rule<number> =>
  attribute(name, (value) => {
    const code = parseNumber(value);
    return code !== undefined && Number.isInteger(code) && code >= 100 && code < 600
      ? code
      : undefined;
  });
const spanStatus: Rule<number> = {
  names: ['status'],
  read: ({ span }) => ({ 1: 200, 2: 500 })[span.status?.code ?? 0],
};

const statusMessage: Rule<string> = {
  names: ['status'],
  read: ({ span: { status } }) => (status?.code === 2 ? nonEmptyText(status.message) : undefined),
};
/**
 * Message of the last exception event.
 * https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/
 */
const exceptionMessage: Rule<string> = {
  names: ['exception'],
  read: ({ events }) =>
    nonEmptyText(
      events.findLast(({ name }) => name === 'exception')?.attributes.get('exception.message'),
    ),
};

const list = (name: string): Rule<readonly string[]> =>
  attribute(name, (value) => {
    const read = parseIfJson(value);
    const found = (isJsonList(read) ? read : [read]).flatMap((item) => nonEmptyText(item) ?? []);
    return found.length > 0 ? found : undefined;
  });
const objects = (name: string): Rule<readonly JsonObject[]> =>
  attribute(name, (value) => {
    const read = parseIfJson(value);
    const found = (isJsonList(read) ? read : [read]).map(parseIfJson).filter(isJsonObject);
    return found.length > 0 ? found : undefined;
  });
const object = (name: string): Rule<JsonObject> =>
  attribute(name, (value) => {
    const read = parseIfJson(value);
    return isJsonObject(read) ? read : undefined;
  });
const integerRule = (name: string): Rule<number> =>
  attribute(name, (value) => {
    const found = parseNumber(value);
    return Number.isSafeInteger(found) ? found : undefined;
  });

const byKind = (rules: (kind: OtelKind) => Rules<Json>): Record<OtelKind, Rules<Json>> => ({
  llm: rules('llm'),
  retriever: rules('retriever'),
  tool: rules('tool'),
  workflow: rules('workflow'),
  agent: rules('agent'),
  control: rules('control'),
});

/** Rules for the dataset row of a step. */
const dataset = <T>(member: string, as: (name: string) => Rule<T>): Rules<T> =>
  ['splunk_ao', 'galileo'].map((family) => as(`${family}.dataset.${member}`));

const routingRules = (member: string): Rules<string> =>
  ['splunk_ao', 'galileo'].map((family) => text(`${family}.${member}`));

const modelMembers: Readonly<Record<string, Rules<Json>>> = {
  model: [
    text('gen_ai.response.model'),
    text('gen_ai.request.model'),
    text('llm.model_name'),
    text('ai.response.model'),
    text('ai.model.id'),
  ],
  temperature: [
    number('gen_ai.request.temperature'),
    memberOf('llm.invocation_parameters', 'temperature', parseNumber),
    number('ai.settings.temperature'),
  ],
  finish_reason: [
    genAiFinishReason,
    numberedFinishReason,
    genAiChoiceReason,
    text('llm.finish_reason'),
    text('llm.response.finish_reason'),
    text('ai.response.finishReason'),
    text('ai.finishReason'),
  ],
  tools: [
    objects('gen_ai.tool.definitions'),
    toolSchemas,
    requestFunctions,
    objects('ai.prompt.tools'),
  ],
  events: [modelEvents],
};

export const otelMapping: OtelMapping = {
  version: 4,
  rules: {
    kind: [
      galileoKind,
      genAiKind,
      galileoSearch,
      openInferenceKind,
      traceloopKind,
      llmRequestKind,
      vercelKind,
    ],
    name: [text('ai.toolCall.name'), text('agent_control.control_name')],
    statusCode: [
      integerRule('splunk_ao.status_code'),
      httpStatus('http.response.status_code'),
      httpStatus('http.status_code'),
      spanStatus,
    ],
    errorMessage: [statusMessage, exceptionMessage],
    input: inputRules,
    output: outputRules,
    redactedInput: byKind(redactedInputRules),
    redactedOutput: byKind(redactedOutputRules),
    members: {
      llm: modelMembers,
      retriever: {},
      tool: {
        tool_call_id: [text('gen_ai.tool.call.id'), text('tool_call.id'), text('ai.toolCall.id')],
      },
      workflow: {},
      agent: { agent_type: [agentType] },
      control: controlMembers,
    },
    stepNumber: [integerRule('splunk_ao.step_number')],
    datasetInput: dataset('input', text),
    datasetOutput: dataset('output', text),
    datasetMetadata: dataset('metadata', object),
    metrics: metricRules,
    evaluations: [genAiEvaluations],
    session: [
      text('galileo.session.id'),
      text('gen_ai.conversation.id'),
      text('session.id'),
      text('traceloop.association.properties.session_id'),
      text('ai.telemetry.metadata.sessionId'),
    ],
    routing: {
      projectid: routingRules('project.id'),
      project: routingRules('project.name'),
      logstreamid: routingRules('logstream.id'),
      logstream: routingRules('logstream.name'),
      experimentid: routingRules('experiment.id'),
      experiment: routingRules('experiment.name'),
    },
    tags: [list('tag.tags'), list('splunk_ao.tags')],
    metadata: [object('metadata'), object('splunk_ao.metadata')],
    userId: [text('user.id'), text('traceloop.association.properties.user_id')],
    aliases: splunkAliases,
    metadataFamilies: ['traceloop.association.properties.', 'ai.telemetry.metadata.'],
  },
};

/** Resource attributes that determine records and their place. */
export const routingAttributes: ReadonlySet<string> = new Set([
  'service.name',
  ...[otelMapping.rules.session, ...Object.values(otelMapping.rules.routing)].flatMap((rules) =>
    rules.flatMap(({ names }) => names),
  ),
]);

/** All attributes, events and fields that rules read; families end with a `.`. */
export const ruleInputNames = (rules: OtelRules): ReadonlySet<string> => {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value !== 'object' || value === null) return;
    else if ('names' in value) for (const name of value.names as readonly string[]) names.add(name);
    else Object.values(value).forEach(collect);
  };
  collect(rules);
  return names;
};
