import { Type } from 'typebox';
import type { JsonObject } from '../kernel/schema-types.js';
import { operation } from './operation.js';

/** Version of the interface description (contract 1.1). */
export const descriptionVersion = '0.1.0';

const open = { section: '5.15', schemes: [], requires: 'public' } as const;

export const healthcheck = operation({
  ...open,
  operationId: 'healthcheck',
  summary: 'Say that the service answers',
  description: 'Answers as long as the process does, whatever its engines are doing.',
  method: 'GET',
  path: '/v2/healthcheck',
  response: Type.Object({
    api_version: Type.Literal('v2'),
    message: Type.Literal('ok'),
    version: Type.String(),
  }),
});

export const readDescription = operation({
  ...open,
  operationId: 'readDescription',
  summary: 'Read the OpenAPI document of this interface',
  description: 'The document that this sentence is from.',
  method: 'GET',
  path: '/v2/openapi.json',
  response: Type.Unsafe<JsonObject>(Type.Object({}, { additionalProperties: true })),
});

export const serviceOperations = [healthcheck, readDescription];
