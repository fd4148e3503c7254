import * as fc from 'fast-check';
import { metricRegistry, spanKinds, standardColumns } from '../../kernel/records/columns.js';
import { unreachable } from '../../kernel/decision.js';
import type { StreamName } from '../../kernel/ports.js';
import { streamNameOf } from '../../kernel/ports.js';
import type {
  ColumnValue,
  MetricCell,
  MetricType,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import type {
  Annotation,
  Annotations,
  AnnotationType,
  FeedbackTemplate,
} from '../../kernel/records/feedback.js';
import type { Instant, Json } from '../../kernel/schema-types.js';

// Values come from small pools, so that equal ones, near misses and case variants meet often.

export const uuid = (family: number, at: number): string =>
  `${String(family).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`;
export const projects = [uuid(1, 1), uuid(1, 0xff)];
export const runIds = [uuid(2, 1), uuid(2, 2), 'ffffffff-ffff-4fff-bfff-ffffffffffff'];
export const sessionIds = [uuid(3, 1), uuid(3, 2), uuid(3, 3)];
export const templates = [uuid(4, 1), uuid(4, 2)];
export const users = [uuid(5, 1), uuid(5, 2)];
/** A template of each kind of column; `templates` are the first of them. */
export const ratedTemplates: readonly FeedbackTemplate[] = [
  { id: uuid(4, 1), type: 'score' },
  { id: uuid(4, 2), type: 'tags' },
  { id: uuid(4, 3), type: 'text' },
  { id: uuid(4, 4), type: 'like_dislike' },
  { id: uuid(4, 5), type: 'choice' },
];

export const texts = [
  '',
  'a',
  'A',
  'ab',
  'aB',
  'ß',
  'ẞ',
  'ss',
  'SS',
  'ſ',
  's',
  'S',
  '\u212a',
  'k',
  'K',
  'İ',
  'i',
  'I',
  'ı',
  'i\u0307',
  'ς',
  'σ',
  'Σ',
  'ΟΔΟΣ',
  'οδος',
  'οδοσ',
  'Ꭰ',
  'ꭰ',
  '𐐀',
  '𐐨',
  '%',
  '_',
  'a%',
  '\\',
  '.*',
  '(a',
  '[a]',
  'é',
  'e\u0301',
  'É',
  '🎉',
  '\uffff',
  'µ',
  'μ',
  'ϐ',
  'β',
  "';--",
  'true',
  'null',
  ' ',
  'a\u0000b',
  '\u0000',
  'Å',
  '\u212b',
  'ǆ',
  'ǅ',
  'Ǆ',
  'Ა',
  'ა',
  'ΐ',
  '\u1fd3',
  'ﬅ',
  'ﬆ',
  'x'.repeat(300),
];
export const instants = [
  '0001-01-01T00:00:00.000000Z',
  '1969-12-31T23:55:00.000000Z',
  '1969-12-31T23:54:59.999999Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00.000000Z',
  '1970-01-01T00:04:59.999999Z',
  '2026-03-01T00:00:00.000000Z',
  '2026-02-28T23:59:59.999999Z',
  '2026-03-01T00:00:00.000001Z',
  '2026-03-01T00:05:00.000000Z',
  '2026-03-01T00:04:59.999999Z',
  '2026-03-02T00:00:00.000000Z',
  '2026-03-01T12:34:56.789012Z',
  '9999-12-31T23:59:59.999999Z',
] as readonly string[] as readonly Instant[];
export const numbers = [
  0,
  1,
  2,
  -1,
  0.1,
  0.2,
  0.3,
  0.1 + 0.2,
  1.5,
  -2.5,
  5,
  7,
  95,
  100,
  1e15,
  2 ** 53,
  1e-7,
  1 / 3,
  1e21,
];
export const integers = [0, 1, 2, 3, 200, 404, 500, -1, 2 ** 53 - 1];
export const tags = ['a', 'A', 'b', 'ß', 'ẞ', 'ſ', 's', 'ς', 'σ', 'trial-0', 'İ', 'i', '𐐀', '𐐨'];
export const metricNames = [
  'reward',
  'solved',
  'verdict',
  'mixed',
  '__proto__',
  'constructor',
  'a/b',
  'rare',
];
export const metadataKeys = ['task_id', 'empty', '__proto__', 'K', '\u{1f389}', '\uffff'];

export const pick = <T>(pool: readonly T[]) => fc.constantFrom(...pool);
/** Mostly a value; null means absent. */
export const perhaps = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3, nil: null });

const valueOf = (column: string): fc.Arbitrary<ColumnValue> => {
  const { type, allowed } = standardColumns.find(({ id }) => id === column) ?? {};
  switch (type) {
    case 'timestamp':
      return pick(instants);
    case 'string_list':
      return fc.uniqueArray(pick(tags), { maxLength: 3 });
    case 'integer':
      return pick(integers);
    case 'floating_point':
      return pick(numbers);
    case 'boolean':
      return fc.boolean();
    case 'uuid':
      return pick([...sessionIds, ...runIds]);
    case 'text':
    case undefined:
      return pick(allowed ?? texts);
    default:
      return unreachable(type);
  }
};

/** Columns that a row gets at random; the others are set by its place. */
const drawn = standardColumns.filter(
  ({ id }) =>
    !['id', 'project_id', 'run_id', 'session_id', 'trace_id', 'type', 'created_at'].includes(id),
);

const cellOf = (metric: string): fc.Arbitrary<MetricCell['value']> => {
  const registered = metricRegistry.find(({ name }) => name === metric);
  if (registered?.type === 'integer') return pick<MetricCell['value']>([...integers, 1.5, 'no']);
  if (registered !== undefined) return pick<MetricCell['value']>([...numbers, 'no', true]);
  if (metric === 'solved') return fc.boolean();
  if (metric === 'verdict') return pick(texts);
  if (metric === 'reward') return pick(integers);
  return pick<MetricCell['value']>([...numbers, true, false, ...texts.slice(0, 6)]);
};

const typeOfValue = (value: MetricCell['value']): MetricType => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return Number.isInteger(value) ? 'integer' : 'floating_point';
};

const metricsOf = fc
  .array(
    pick([...metricNames, 'toxicity', 'duration_ns', 'num_input_tokens', 'cost']).chain((name) =>
      fc.record({
        name: fc.constant(name),
        value: cellOf(name),
        rollUp: perhaps(pick(numbers)),
        rolledUp: fc.boolean(),
        at: fc.nat({ max: 1_000_000 }),
      }),
    ),
    { maxLength: 6 },
  )
  .map(
    (drawnCells) => (unique: number) =>
      Object.fromEntries(
        drawnCells.map(({ name, value, rollUp, rolledUp, at }): [string, MetricCell] => {
          if (rolledUp && typeof value === 'number') return [name, { value, rolledUp }];
          if (metricRegistry.some((one) => one.name === name))
            return [name, { value, rolledUp: false }];
          const type = typeOfValue(value);
          const first = {
            at: `${String(at).padStart(8, '0')}-${String(unique).padStart(8, '0')}`,
            type,
            fraction: type === 'floating_point',
          };
          const beside = typeof value !== 'number' && rollUp !== null ? { rollUp } : {};
          return [name, { value, rolledUp: false, first, ...beside }];
        }),
      ),
  );

const ratingOf = (type: AnnotationType): fc.Arbitrary<Annotation['value']> => {
  switch (type) {
    case 'like_dislike':
      return fc.boolean();
    case 'star':
    case 'score':
      return pick([0, 1, 2, 5]);
    case 'tags':
      return fc.uniqueArray(pick(tags), { maxLength: 3 });
    case 'choice':
      return pick(tags);
    case 'text':
      return pick(texts.filter((text) => text !== ''));
    default:
      return unreachable(type);
  }
};

const annotationsOf: fc.Arbitrary<Annotations> = fc.record(
  Object.fromEntries(
    ratedTemplates.map(({ id, type }) => [
      id,
      fc.dictionary(
        pick(users),
        fc.record({
          annotation_type: fc.constant(type),
          value: ratingOf(type),
          explanation: fc.constant(null),
          given_at: pick(instants),
        }),
        { maxKeys: 2, noNullPrototype: true },
      ),
    ]),
  ),
);

/** A trace with ratings by those who annotated it. */
const rated = (row: RecordRow, annotations: Annotations): RecordRow => {
  const given = Object.entries(annotations).filter(([, byUser]) => Object.keys(byUser).length > 0);
  return {
    ...row,
    annotators: given.flatMap(([id, byUser]) => Object.keys(byUser).map((user) => `${id}/${user}`)),
    body: { ...row.body, annotations: Object.fromEntries(given) as Json },
  };
};

const annotatorsOf = (kind: RecordKind) => {
  const pairs = templates.flatMap((template) => users.map((user) => `${template}/${user}`));
  const some = templates.map((template) => `${template}/`);
  return fc.uniqueArray(pick(kind === 'session' ? [...pairs, ...some] : pairs));
};

type Where = { readonly group: StreamName; readonly ordinal: number; readonly unique: number };
type Ids = Readonly<Record<string, ColumnValue>>;

/** Metrics of which records have evaluation errors, and the codes of these. */
export const failingMetrics = ['reward', 'toxicity', 'rare'];
export const errorCodes = [1001, 1003, 42, -7];

const rowOf = (kind: RecordKind, where: Where, ids: Ids): fc.Arbitrary<RecordRow> => {
  const columns = drawn.filter(({ kinds }) => kinds.includes(kind));
  const values = fc.record(Object.fromEntries(columns.map(({ id }) => [id, perhaps(valueOf(id))])));
  const error = fc.record({
    code: pick(errorCodes),
    message: perhaps(pick(['m', 'n', ''])),
  });
  return fc.record({
    group: fc.constant(where.group),
    ordinal: fc.constant(where.ordinal),
    kind: fc.constant(kind),
    values: fc.tuple(values, pick(instants)).map(([some, created_at]) => ({
      ...Object.fromEntries(Object.entries(some).filter(([, value]) => value !== null)),
      ...ids,
      created_at,
    })),
    metrics: metricsOf.map((of) => of(where.unique)),
    userMetadata: fc.dictionary(pick(metadataKeys), pick(texts), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    errors: fc.dictionary(pick(failingMetrics), error, {
      maxKeys: 1,
      noNullPrototype: true,
    }),
    annotators: annotatorsOf(kind),
    spanCount: kind === 'trace' ? fc.nat({ max: 5 }) : fc.constant(0),
    body: fc.constant({ at: where.unique, list: [null, 'ς'] }),
  });
};

const traceRows = (at: number): fc.Arbitrary<readonly RecordRow[]> =>
  fc
    .record({
      project: fc.boolean().map((other) => projects[other && at % 5 === 0 ? 1 : 0] ?? ''),
      run: pick(runIds),
      session: perhaps(pick(sessionIds)),
      kinds: fc.array(pick(spanKinds), { maxLength: 4 }),
    })
    .chain(({ project, run, session, kinds }) => {
      const trace = uuid(6, at);
      const group = streamNameOf('trace', project, trace);
      const ids = { project_id: project, run_id: run, session_id: session ?? trace };
      const rows = kinds.map((kind, place) => {
        const where = { group, ordinal: place + 1, unique: at * 10 + place + 1 };
        return rowOf(kind, where, {
          ...ids,
          type: kind,
          trace_id: trace,
          id: uuid(7, where.unique),
        });
      });
      const first = { group, ordinal: 0, unique: at * 10 };
      const whole = fc
        .tuple(rowOf('trace', first, { ...ids, id: trace }), annotationsOf, fc.boolean())
        .map(([row, annotations, isRated]) =>
          isRated ? rated(row, annotations) : { ...row, annotators: [] },
        );
      return fc.tuple(whole, ...rows).map(withCopies);
    });

/** Spans with the copied members of their trace (kernel/records/records.ts). */
const withCopies = ([trace, ...spans]: readonly [RecordRow, ...RecordRow[]]) => {
  const { is_complete } = trace.values;
  const copied = spans.map((span): RecordRow => {
    const { is_complete: _, ...values } = span.values;
    const own = is_complete === undefined ? values : { ...values, is_complete };
    return { ...span, annotators: trace.annotators, values: own };
  });
  return [trace, ...copied];
};

const sessionRow = (at: number): fc.Arbitrary<readonly RecordRow[]> =>
  fc.tuple(pick(projects), pick(runIds)).chain(([project, run]) => {
    const id = uuid(3, at);
    const where = {
      group: streamNameOf('session', project, id),
      ordinal: 0,
      unique: 1_000_000 + at,
    };
    return fc.tuple(rowOf('session', where, { id, project_id: project, run_id: run }));
  });

/** Awkward rows of two projects, by group. */
export const recordGroups = (traces: number): fc.Arbitrary<readonly (readonly RecordRow[])[]> =>
  fc.tuple(
    ...Array.from({ length: traces }, (_, at) => traceRows(at)),
    ...Array.from({ length: Math.ceil(traces / 10) }, (_, at) => sessionRow(at)),
  );
