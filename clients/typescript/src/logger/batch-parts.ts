/**
 * A part of a request. Neighbours with equal `method`, `path` and `head` are batched as items of
 * one list.
 */
export type BatchPart = {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  /** Body text before and after its items. */
  readonly head: string;
  readonly tail: string;
  /** JSON; null: the body is `head` and is sent alone. */
  readonly item: string | null;
  /** Traces and spans in it. */
  readonly records: number;
  readonly bytes: number;
  /** True if it creates the trace: the other parts depend on it. */
  readonly isTrace: boolean;
  /** Shared by all parts of a trace. */
  readonly fate: { isLost: boolean };
};

/** A span that has ended, with those that ended below it. `text` is its JSON without them. */
export type EndedSpan = {
  readonly text: string;
  readonly bytes: number;
  readonly parentId: string;
  readonly below: readonly EndedSpan[];
};

export type EndedTrace = {
  readonly id: string;
  readonly text: string;
  readonly bytes: number;
  /** Members that select the run, as JSON without braces, or nothing. */
  readonly place: string;
  /** False: the program ended before it. */
  readonly isComplete: boolean;
  readonly below: readonly EndedSpan[];
};

/**
 * Limit of one request. The service reads bodies of up to 256 KiB as they come and only a few
 * larger ones at a time (contract 1.11); a list has at most 1,000 items and 5,000 spans.
 */
export const requestBytesMax = 240_000;
export const itemsMax = 1_000;
export const recordsMax = 4_000;
/** JSON may have 128 levels; a level of spans is two. */
const depthMax = 50;

/** Bytes of a record in a request, with separators. */
export const recordBytes = (text: string): number => encoder.encode(text).length + joiningBytes;
/** `"parent_id":`, an id, brackets. */
const joiningBytes = 64;
const encoder = new TextEncoder();

const sender = '"logging_method":"typescript_client"';

/**
 * Splits a trace into parts: a small one is one item of a request; a large one is begun, gets its
 * spans, and is completed.
 */
export const batchPartsOf = (
  project: string,
  trace: EndedTrace,
  fate: BatchPart['fate'],
): readonly BatchPart[] => {
  const flat = flattenSpans(trace.below);
  const spanBytes = flat.reduce((sum, { span }) => sum + span.bytes, 0);
  const isSmall =
    flat.length < itemsMax &&
    spanBytes + trace.bytes <= requestBytesMax &&
    flat.every(({ depth }) => depth <= depthMax);
  const place = trace.place === '' ? '' : `,${trace.place}`;
  const begun = {
    method: 'POST',
    path: `/v2/projects/${encodeURIComponent(project)}/traces`,
    tail: ']}',
    isTrace: true,
    fate,
  } as const;
  const head = (isComplete: boolean): string =>
    `{${sender}${place},"is_complete":${isComplete},"include_trace_ids":false,"traces":[`;
  if (isSmall) {
    const item = nestedJson(trace.text, trace.below);
    const [records, bytes] = [flat.length + 1, trace.bytes + spanBytes];
    return [{ ...begun, head: head(trace.isComplete), item, records, bytes }];
  }
  const done = JSON.stringify({ is_complete: true });
  return [
    { ...begun, head: head(false), item: trace.text, records: 1, bytes: trace.bytes },
    ...spanParts(project, trace.id, trace.below, fate),
    ...(trace.isComplete
      ? [
          {
            ...begun,
            method: 'PATCH',
            path: `${begun.path}/${trace.id}`,
            head: done,
            tail: '',
            item: null,
            isTrace: false,
            records: 0,
            bytes: done.length,
          } as const,
        ]
      : []),
  ];
};

/** Parts of single spans: of a large trace, or ended after their trace. */
export const spanParts = (
  project: string,
  traceId: string,
  spans: readonly EndedSpan[],
  fate: BatchPart['fate'],
): readonly BatchPart[] =>
  flattenSpans(spans).map(({ span }) => ({
    method: 'POST',
    path: `/v2/projects/${encodeURIComponent(project)}/spans`,
    head: `{${sender},"trace_id":"${traceId}","parent_id":"${traceId}","spans":[`,
    tail: ']}',
    item: `${span.text.slice(0, -1)},"parent_id":"${span.parentId}"}`,
    records: 1,
    bytes: span.bytes,
    isTrace: false,
    fate,
  }));

/** Number of spans with all below them, and their bytes. */
export const sizeOf = (
  spans: readonly EndedSpan[],
): { readonly records: number; readonly bytes: number } => {
  const flat = flattenSpans(spans);
  return { records: flat.length, bytes: flat.reduce((sum, { span }) => sum + span.bytes, 0) };
};

/** Nested JSON; for small traces only, whose depth is limited. */
const nestedJson = (text: string, below: readonly EndedSpan[]): string => {
  if (below.length === 0) return text;
  const spans = below.map((one) => nestedJson(one.text, one.below)).join(',');
  return `${text.slice(0, -1)},"spans":[${spans}]}`;
};

/** Spans in pre-order. Iterative, as a chain of spans may be arbitrarily long. */
const flattenSpans = (
  spans: readonly EndedSpan[],
): readonly { readonly span: EndedSpan; readonly depth: number }[] => {
  const found: { span: EndedSpan; depth: number }[] = [];
  const left = [...spans].reverse().map((span) => ({ span, depth: 1 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    found.push(next);
    for (const span of [...next.span.below].reverse()) left.push({ span, depth: next.depth + 1 });
  }
  return found;
};

/** Number of leading parts that fit into one request. */
export const batchSize = (parcels: readonly BatchPart[]): number => {
  const [first] = parcels;
  if (first === undefined) return 0;
  let [count, records, bytes] = [0, 0, 0];
  for (const one of parcels) {
    const fits =
      one.item !== null &&
      one.method === first.method &&
      one.path === first.path &&
      one.head === first.head &&
      count < itemsMax &&
      records + one.records <= recordsMax &&
      bytes + one.bytes <= requestBytesMax;
    if (count > 0 && !fits) break;
    count += 1;
    records += one.records;
    bytes += one.bytes;
    if (one.item === null) break;
  }
  return count;
};

export const bodyOf = (parcels: readonly BatchPart[]): string => {
  const [first] = parcels;
  if (first === undefined || first.item === null) return first?.head ?? '';
  return `${first.head}${parcels.map(({ item }) => item).join(',')}${first.tail}`;
};
