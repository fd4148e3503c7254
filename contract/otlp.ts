import { Type } from 'typebox';
import { namedSchema, type Json } from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { operation } from './operation.js';
import { otlpMessages } from './otlp-messages.js';

/** Span limit of one request of a collector (contract 1.11). */
export const otlpSpansMax = 10_000;

/**
 * Limit of projects and runs that resources of one request name (contract 1.11); each may be
 * created.
 */
export const otlpDestinationsMax = 16;

const anything = Type.Unsafe<Json>(Type.Unknown());

/** Checked by command-api: an invalid span is rejected alone. */
const body = Type.Object({
  resourceSpans: Type.Optional(Type.Unsafe<readonly Json[]>(Type.Array(anything))),
  resource_spans: Type.Optional(Type.Unsafe<readonly Json[]>(Type.Array(anything))),
});

const response = namedSchema(
  'SpansReceived',
  Type.Object({
    partialSuccess: Type.Optional(
      Type.Object({ rejectedSpans: Type.String(), errorMessage: Type.String() }),
    ),
  }),
);

const receiveOperation = (operationId: string, path: string) =>
  operation({
    operationId,
    section: '5.12',
    requires: 'signed-in',
    size: 'ingest',
    schemes: ['K', 'B'],
    method: 'POST',
    path,
    summary: 'Receive spans of OpenTelemetry',
    description:
      'OTLP/HTTP in protobuf or JSON. Headers name the project and the run; without them the ' +
      'resource does, else it is the project of the key or `default`, and the log stream ' +
      '`default`.',
    example: {
      resourceSpans: [
        {
          resource: {
            attributes: [{ key: 'service.name', value: { stringValue: 'booking' } }],
          },
          scopeSpans: [
            {
              scope: { name: 'agent' },
              spans: [
                {
                  traceId: '5b8efff798038103d269b633813fc60c',
                  spanId: 'eee19b7ec3c1b174',
                  name: 'chat model-a',
                  kind: 3,
                  startTimeUnixNano: '1772355600000000000',
                  endTimeUnixNano: '1772355601500000000',
                  attributes: [
                    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                    { key: 'gen_ai.request.model', value: { stringValue: 'model-a' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    body,
    response,
    headers: {
      projectid: `Id of a project, \`${exampleIds.project_id}\``,
      project: 'Name of a project; made when missing',
      logstreamid: 'Id of a log stream',
      logstream: 'Name of a log stream; made when missing',
      experimentid: 'Id of an experiment',
      experiment: 'Name of an experiment',
    },
    protobuf: {
      messages: otlpMessages,
      request: 'ExportTraceServiceRequest',
      response: 'ExportTraceServiceResponse',
      refusal: 'Status',
    },
    faults: ['not-found', 'forbidden'],
  });

/** One operation at three addresses: exporters append `/v1/traces` to their endpoint. */
export const receiveSpans = receiveOperation('receiveSpans', '/v1/traces');
export const otlpOperations = [
  receiveSpans,
  receiveOperation('receiveSpansOtelV1', '/v2/otel/v1/traces'),
  receiveOperation('receiveSpansOtel', '/v2/otel/traces'),
];
