import { reading, type Route } from '../../contract/operation.js';
import { descriptionVersion, healthcheck, readDescription } from '../../contract/service.js';
import type { JsonObject } from '../../kernel/shapes.js';

type Needs = {
  /** The OpenAPI document. A function, because it describes these routes too. */
  readonly description: () => JsonObject;
};

export const serviceReads = ({ description }: Needs): readonly Route[] => [
  reading(healthcheck, [], async () => ({
    body: { api_version: 'v2' as const, message: 'ok' as const, version: descriptionVersion },
  })),
  reading(readDescription, [], async () => ({ body: description() })),
];
