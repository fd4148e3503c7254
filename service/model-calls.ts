import {
  openModelAttempts,
  type ModelAttempts,
} from '../command-api/work/model-gateway/attempts.js';
import { openModelCalls } from '../engines/models/model-calls.js';
import { systemClock as clock } from '../engines/node/clock.js';
import { openServiceEgress } from './egress.js';
import type { StartupContext } from './startup-context.js';

/** Calls of models of this process, by an egress that ends with the service. */
export const openServiceModels = (
  context: StartupContext,
): { readonly ownPorts: Set<number>; readonly modelAttempts: ModelAttempts } => {
  const { egress, ownPorts } = openServiceEgress(context);
  const calls = openModelCalls({ egress, clock });
  const series = context.metrics.models;
  return { ownPorts, modelAttempts: openModelAttempts({ calls, clock, series }) };
};
