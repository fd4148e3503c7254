import type { OtelAttribute } from '../../kernel/otel/span.js';
import { routingAttributes } from '../../kernel/otel/mapping.js';
import type { OtelSource, SentOtelTrace } from './otel-decoder.js';
import { jsonBytes } from './event-packing.js';

/**
 * Limit of contract 1.11: resources and scopes are stored with each trace of a request, so one of
 * 60 KB and 2,000 small traces would take 120 MB. Exporters send some KB with up to 1,000 traces.
 */
export const resourcesBytesMax = 8_388_608;
/** Minimum share of one trace, however many there are. */
const shareMin = 2_048;

/**
 * Limits resources and scopes to `resourcesBytesMax` as JSON in total, or `shareMin` each. Beyond
 * that each is stored whole with its first trace only; with the others it keeps its first
 * attributes and counts the rest in `droppedAttributesCount`, as in OTLP.
 */
export const limitResources = (traces: readonly SentOtelTrace[]): readonly SentOtelTrace[] => {
  const uses = new Map<OtelSource, number>();
  for (const { place } of traces.flatMap(({ parts }) => parts)) {
    uses.set(place, (uses.get(place) ?? 0) + 1);
  }
  let [stored, count] = [0, 0];
  for (const [place, times] of uses) {
    stored += jsonBytes(place) * times;
    count += times;
  }
  if (stored <= resourcesBytesMax) return traces;
  const share = Math.max(shareMin, Math.floor(resourcesBytesMax / count));
  const short = new Map<OtelSource, OtelSource>();
  const placed = (place: OtelSource): OtelSource => {
    const known = short.get(place);
    if (known === undefined) short.set(place, shortenResource(place, share));
    return known ?? place;
  };
  return traces.map(({ traceId, parts }) => ({
    traceId,
    parts: parts.map(({ place, spans }) => ({ place: placed(place), spans })),
  }));
};

type Holder = NonNullable<OtelSource['resource']>;

const shortenResource = ({ resource, scope }: OtelSource, bytesMax: number): OtelSource => {
  const short = resource && fitAttributes(resource, bytesMax);
  const left = bytesMax - (short === undefined ? 0 : jsonBytes(short));
  return {
    ...(short !== undefined && { resource: short }),
    ...(scope !== undefined && { scope: fitAttributes(scope, left) }),
  };
};

/** Keeps routing attributes first, then the others in order, as many as fit. */
const fitAttributes = (holder: Holder, bytesMax: number): Holder => {
  if (jsonBytes(holder) <= bytesMax) return holder;
  const { attributes = [], droppedAttributesCount = 0, ...rest } = holder;
  const others = Object.fromEntries(
    Object.entries(rest).filter(([, text]) => typeof text !== 'string' || text.length <= textMax),
  );
  let room = bytesMax - jsonBytes(others) - countBytes;
  const kept = new Set<OtelAttribute>();
  const take = (one: OtelAttribute): void => {
    const bytes = jsonBytes(one) + 1;
    if (bytes > room) return;
    room -= bytes;
    kept.add(one);
  };
  attributes.filter(({ key }) => routingAttributes.has(key)).forEach(take);
  attributes.filter((one) => !kept.has(one)).forEach(take);
  const dropped = droppedAttributesCount + attributes.length - kept.size;
  return {
    ...others,
    ...(kept.size > 0 && { attributes: attributes.filter((one) => kept.has(one)) }),
    ...(dropped > 0 && { droppedAttributesCount: dropped }),
  };
};
/** Limit of a resource's or scope's name, version and schema URL; longer ones are dropped. */
const textMax = 255;
/** Bytes reserved for `droppedAttributesCount` and member names. */
const countBytes = 64;
