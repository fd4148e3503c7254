type MetricInfo = { readonly value?: unknown; readonly message?: string | null };
type Rating = { readonly value: unknown; readonly explanation?: string | null };

/** The rendered members of a record in a trace's tree (contract 5.7). */
export type RenderedRecord = {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly created_at?: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly dataset_output?: string | null;
  readonly model?: string | null;
  readonly status_code: number | null;
  readonly is_complete: boolean;
  readonly external_id?: string | null;
  readonly tags?: readonly string[];
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly metric_info?: Readonly<Record<string, MetricInfo>>;
  readonly user_metadata: Readonly<Record<string, string>>;
  /** By template and user. */
  readonly annotations?: Readonly<Record<string, Readonly<Record<string, Rating>>>>;
  readonly spans?: readonly RenderedRecord[];
};

type RenderOptions = {
  /** Longer lines are cut; null: texts are drawn whole, over as many lines as they have. */
  readonly width: number | null;
  /** Names of annotation templates by id. */
  readonly templates?: ReadonlyMap<string, string>;
};

/** The trace as lines: each record with its facts, then its texts, metrics, tags and ratings. */
export const renderTrace = (trace: RenderedRecord, drawing: RenderOptions): readonly string[] => {
  const { width } = drawing;
  return renderRecord(trace, 0, drawing).map((line) =>
    width !== null && line.length > width ? `${line.slice(0, width - 1)}…` : line,
  );
};

const renderRecord = (
  record: RenderedRecord,
  depth: number,
  drawing: RenderOptions,
): readonly string[] => {
  const indent = '  '.repeat(depth);
  const text = drawing.width === null ? wholeText : oneLine;
  const members = [
    ['in ', text(record.input)],
    ['out', text(record.output)],
    ['reference', text(record.dataset_output)],
    ['external id', record.type === 'trace' ? (record.external_id ?? '') : ''],
    ['tags', (record.tags ?? []).join(', ')],
    [
      'metadata',
      formatPairs(Object.entries(record.user_metadata).filter(([name]) => !isErrorReason(name))),
    ],
    ['metrics', formatPairs(metricsOf(record))],
    ['failed', formatPairs(failuresOf(record))],
    ['ratings', formatPairs(ratingsOf(record, drawing.templates ?? new Map()))],
  ] as const;
  return [
    `${indent}${[`${record.type} ${record.name}`, ...factsOf(record)].join(' · ')}`,
    ...members.flatMap(([what, said]) =>
      said === '' ? [] : member(`${indent}    ${what} `, said),
    ),
    ...(record.spans ?? []).flatMap((span) => renderRecord(span, depth + 1, drawing)),
  ];
};

const member = (head: string, said: string): readonly string[] =>
  said.split('\n').map((line, index) => (index === 0 ? head : ' '.repeat(head.length)) + line);

const isErrorReason = (name: string): boolean => name === 'error.message' || name === 'error';

/** Shown in the line of facts. */
const headlineMetrics = new Set([
  'duration_ns',
  'num_total_tokens',
  'num_input_tokens',
  'num_output_tokens',
  'cost',
]);

/** The record's own value, else rolled up from the records below; undefined if absent. */
const metric = ({ metric_info: info = {}, metrics }: RenderedRecord, name: string): unknown =>
  metrics[name] ?? info[name]?.value;

const factsOf = (record: RenderedRecord): readonly string[] => {
  const { model, status_code: status, user_metadata: metadata } = record;
  const [duration, tokens, cost] = ['duration_ns', 'num_total_tokens', 'cost'].map((name) => {
    const value = metric(record, name);
    return typeof value === 'number' ? value : null;
  });
  const why = metadata['error.message'] ?? metadata['error'];
  return [
    ...(typeof model === 'string' && model !== '' ? [model] : []),
    ...(duration == null ? [] : [formatDuration(duration)]),
    ...(tokens == null ? [] : [`${tokens} tokens`]),
    ...(cost == null ? [] : [`${Number(cost.toPrecision(3))} dollars`]),
    ...(status !== null && status >= 400 ? [`failed ${status}${why ? `: ${why}` : ''}`] : []),
    ...(record.type === 'trace' && !record.is_complete ? ['not complete'] : []),
    ...(record.created_at === undefined ? [] : [formatTime(record.created_at)]),
    record.id,
  ];
};

const formatTime = (instant: string): string => instant.replace('T', ' ').replace(/\.\d+Z$/, 'Z');

const formatDuration = (nanoseconds: number): string => {
  const milliseconds = nanoseconds / 1e6;
  if (milliseconds >= 1_000) return `${Number((milliseconds / 1_000).toPrecision(3))} s`;
  return `${Number(milliseconds.toPrecision(3))} ms`;
};

const rounded = (value: number): number => Number(value.toPrecision(4));

type Pair = readonly [string, unknown];
const formatPairs = (all: readonly Pair[]): string =>
  all.map(([name, value]) => `${name}=${oneLine(value)}`).join(', ');

const metricsOf = (record: RenderedRecord): readonly Pair[] => {
  const info = Object.entries(record.metric_info ?? {}).map(([name, { value }]): Pair => [
    name,
    value,
  ]);
  const all = new Map<string, unknown>([...info, ...Object.entries(record.metrics)]);
  return [...all]
    .filter(([name, value]) => value != null && !headlineMetrics.has(name))
    .map(([name, value]): Pair => [name, typeof value === 'number' ? rounded(value) : value]);
};
const failuresOf = ({ metric_info: info = {} }: RenderedRecord): readonly Pair[] =>
  Object.entries(info).flatMap(([name, { value, message }]): readonly Pair[] =>
    value === undefined && message != null ? [[name, message]] : [],
  );

const ratingsOf = (
  { annotations = {} }: RenderedRecord,
  templates: ReadonlyMap<string, string>,
): readonly Pair[] =>
  Object.entries(annotations).flatMap(([template, byUser]) =>
    Object.values(byUser).map(({ value, explanation }): Pair => {
      const why = explanation == null || explanation === '' ? '' : ` (${explanation})`;
      return [templates.get(template) ?? template, `${oneLine(value)}${why}`];
    }),
  );

type ChatMessage = {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
};

/** Texts as they are, messages with their roles, anything else as JSON. */
const textsOf = (value: unknown): readonly string[] => {
  if (value === null || value === undefined || value === '') return [];
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return all.map(messageLine);
};
const oneLine = (value: unknown): string => textsOf(value).join(' | ').replace(/\s+/g, ' ').trim();
const wholeText = (value: unknown): string => textsOf(value).join('\n');

const messageLine = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { role, content, tool_calls: calls } = value as ChatMessage;
  if (typeof role !== 'string' || typeof content !== 'string') return JSON.stringify(value);
  const asked = Array.isArray(calls) ? ` calls ${JSON.stringify(calls)}` : '';
  return `${role}: ${content}${asked}`;
};
