import { expect } from 'chai';
import {
  resourcesBytesMax,
  limitResources,
} from '../../command-api/traces/otel-resource-limits.js';
import { decodeSpans, type SentOtelTrace } from '../../command-api/traces/otel-decoder.js';
import { jsonBytes } from '../../command-api/traces/event-packing.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { otelRequest, otelSpan } from '../support/otlp.js';

const sent = (traces: number, attributes: Readonly<Record<string, string>>) => {
  const spans = Array.from({ length: traces }, (_, at) => otelSpan({ trace: at + 1, id: 1 }));
  return decodeSpans(otelRequest(spans, attributes) as JsonObject).traces;
};
const placesOf = (traces: readonly SentOtelTrace[]) =>
  traces.flatMap(({ parts }) => parts.map(({ place }) => place));

/** Contract 1.11. */
describe('resources that are stored with each trace of a request', () => {
  it('are kept whole while together they are small', () => {
    const traces = sent(1_000, { 'service.name': 'booking', text: 'x'.repeat(4_000) });
    expect(limitResources(traces)).to.equal(traces);
  });

  it('are cut beyond 8 MiB, whole with the first trace, and count what was dropped', () => {
    const parts = Array.from({ length: 60 }, (_, at): [string, string] => [
      `key.${at}`,
      'x'.repeat(1_000),
    ]);
    const named = { 'service.name': 'booking', 'splunk_ao.project.name': 'trips' };
    const traces = sent(2_000, { ...Object.fromEntries(parts), ...named });
    const [first, ...others] = placesOf(limitResources(traces));
    expect(first).to.deep.equal(placesOf(traces)[0]);
    expect(others.reduce((sum, place) => sum + jsonBytes(place), 0)).to.be.below(resourcesBytesMax);
    for (const { resource, scope } of others) {
      const names = resource?.attributes?.map(({ key }) => key) ?? [];
      expect(names).to.include.members(['key.0', 'service.name', 'splunk_ao.project.name']);
      expect(names.length + (resource?.droppedAttributesCount ?? 0)).to.equal(62);
      expect(scope).to.deep.equal({ name: 'agent', version: '1' });
    }
  });
});
