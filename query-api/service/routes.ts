import { readRoute, type Route } from '../../contract/operation.js';
import { descriptionVersion, healthcheck, readDescription } from '../../contract/service.js';
import type { JsonObject } from '../../kernel/schema-types.js';

type Needs = {
  /** Builds the OpenAPI document, including these routes. */
  readonly describe: () => JsonObject;
};

export const serviceReads = ({ describe }: Needs): readonly Route[] => {
  // Built on the first request, so that it does not delay the start.
  let description: JsonObject | null = null;
  return [
    readRoute(healthcheck, [], async () => ({
      body: { api_version: 'v2' as const, message: 'ok' as const, version: descriptionVersion },
    })),
    readRoute(readDescription, [], async () => ({ body: (description ??= describe()) })),
  ];
};
