import { readRoute, type Route } from '../../contract/operation.js';
import { descriptionVersion, healthcheck, readDescription } from '../../contract/service.js';
import type { JsonObject } from '../../kernel/schema-types.js';

type Needs = {
  /** Makes the OpenAPI document, of these routes too. */
  readonly describe: () => JsonObject;
};

export const serviceReads = ({ describe }: Needs): readonly Route[] => {
  // Made when somebody asks: no start waits for it.
  let description: JsonObject | null = null;
  return [
    readRoute(healthcheck, [], async () => ({
      body: { api_version: 'v2' as const, message: 'ok' as const, version: descriptionVersion },
    })),
    readRoute(readDescription, [], async () => ({ body: (description ??= describe()) })),
  ];
};
