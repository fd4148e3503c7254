import { otlpOperations, otlpSpansMax } from '../../contract/otlp.js';
import { route, type Route } from '../../contract/operation.js';
import type { Complaint } from '../../kernel/fault.js';
import type { Sha256 } from '../../kernel/ports.js';
import type { JsonObject } from '../../kernel/shapes.js';
import type { openPrices } from '../facts/price-list.js';
import { headerComplaints, placeOf, type PlaceNeeds } from './otel-place.js';
import { countSentSpans, readSpans, refuseAll, type RefusedSpans } from './otel-reading.js';
import { writeSpans, type OtelWriting } from './otel-write.js';

export type OtelNeeds = Omit<PlaceNeeds, 'log' | 'ids'> & { readonly sha256: Sha256 };
type Known = OtelWriting & PlaceNeeds & { readonly prices: ReturnType<typeof openPrices> };

/** Contract 5.12 at its three addresses. */
export const receiving = (needs: Known): readonly Route[] =>
  otlpOperations.map((operation) =>
    route(
      operation,
      async ({ body, headers, principal, cause, mint }) => {
        const run = await placeOf(needs, { headers, principal, cause });
        const { traces, refused } = readSpans(body);
        const prices = await needs.prices(run.projectId);
        const written = await writeSpans(needs, traces, { run, prices, cause, mint });
        refuseAll(refused, written.refused);
        return { position: written.position, body: answerOf(refused) };
      },
      ({ body, headers }) => [...headerComplaints(headers), ...countComplaints(body as JsonObject)],
    ),
  );

const countComplaints = (body: JsonObject): readonly Complaint[] => {
  const count = countSentSpans(body);
  if (count <= otlpSpansMax) return [];
  const msg = `List should have at most ${otlpSpansMax} items, not ${count}`;
  return [{ loc: ['body', 'resourceSpans'], msg, type: 'too_long' }];
};

/** Reasons of ours that fit a line of a collector's log. */
const answerOf = ({ count, reasons }: RefusedSpans) =>
  count === 0
    ? {}
    : { partialSuccess: { rejectedSpans: String(count), errorMessage: [...reasons].join('; ') } };
