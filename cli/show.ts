import { Fault } from '../kernel/fault.js';
import { openCommandClient, type ApiClient, type ServiceAccess } from './api-client.js';
import { demandedOk, runPlace, selectorOf, type PlaceOptions, type RunPlace } from './run-place.js';

/** A record of a trace's tree (contract 5.7), as far as eyes want it. */
export type ShownRecord = {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly model?: string | null;
  readonly status_code: number | null;
  readonly is_complete: boolean;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly user_metadata: Readonly<Record<string, string>>;
  readonly spans?: readonly ShownRecord[];
};

/**
 * `assay show [TRACE]`: a trace with its steps, the newest one unless told which. Throws Fault
 * `invalid` where there is none.
 */
export const showTrace = async (
  trace: string | null,
  access: ServiceAccess,
  wishes: PlaceOptions & { readonly json: boolean },
): Promise<void> => {
  const client = openCommandClient(access);
  try {
    const place = await runPlace(client, wishes, false);
    const { project } = place;
    const root = `/v2/projects/${project.id}/traces`;
    const id = trace ?? (await newest(client, root, place));
    const answer = await client.ask({ method: 'GET', path: `${root}/${encodeURIComponent(id)}` });
    if (answer.status === 404) {
      throw new Fault('invalid', `there is no trace ${id} in project ${project.name}`);
    }
    const found = demandedOk(answer).body as ShownRecord;
    const width = process.stdout.columns ?? usualWidth;
    const lines = wishes.json ? [JSON.stringify(found)] : drawnTrace(found, width);
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    client.close();
  }
};

const usualWidth = 120;

const newest = async (client: ApiClient, root: string, place: RunPlace): Promise<string> => {
  const body = JSON.stringify({ ...selectorOf(place), limit: 1 });
  const answer = await client.ask({ method: 'POST', path: `${root}/search`, body });
  const [first] = (demandedOk(answer).body as { readonly records: readonly ShownRecord[] }).records;
  if (first === undefined) {
    throw new Fault('invalid', `there are no traces in project ${place.project.name}`);
  }
  return first.id;
};

/** Lines of at most `width` characters: each record with its facts, then what went in and out. */
export const drawnTrace = (trace: ShownRecord, width: number): readonly string[] =>
  drawn(trace, 0).map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line));

const drawn = (record: ShownRecord, depth: number): readonly string[] => {
  const indent = '  '.repeat(depth);
  const texts = [
    ['in ', record.input],
    ['out', record.output],
  ] as const;
  return [
    `${indent}${[`${record.type} ${record.name}`, ...factsOf(record)].join(' · ')}`,
    ...texts
      .map(([what, value]) => [what, oneLine(value)] as const)
      .filter(([, said]) => said !== '')
      .map(([what, said]) => `${indent}    ${what} ${said}`),
    ...(record.spans ?? []).flatMap((span) => drawn(span, depth + 1)),
  ];
};

const factsOf = (record: ShownRecord): readonly string[] => {
  const { model, metrics, status_code: status, user_metadata: metadata } = record;
  const [duration, tokens, cost] = ['duration_ns', 'num_total_tokens', 'cost'].map((name) =>
    typeof metrics[name] === 'number' ? metrics[name] : null,
  );
  const why = metadata['error.message'] ?? metadata['error'];
  return [
    ...(typeof model === 'string' && model !== '' ? [model] : []),
    ...(duration == null ? [] : [tookSaid(duration)]),
    ...(tokens == null ? [] : [`${tokens} tokens`]),
    ...(cost == null ? [] : [`${Number(cost.toPrecision(3))} dollars`]),
    ...(status !== null && status >= 400 ? [`failed ${status}${why ? `: ${why}` : ''}`] : []),
    ...(record.type === 'trace' && !record.is_complete ? ['not complete'] : []),
    ...(record.type === 'trace' ? [record.id] : []),
  ];
};

const tookSaid = (nanoseconds: number): string => {
  const milliseconds = nanoseconds / 1e6;
  if (milliseconds >= 1_000) return `${Number((milliseconds / 1_000).toPrecision(3))} s`;
  return `${Number(milliseconds.toPrecision(3))} ms`;
};

type Said = { readonly role?: unknown; readonly content?: unknown; readonly tool_calls?: unknown };

/** Texts as they are, messages with who said them, anything else as JSON; never over lines. */
const oneLine = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '';
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return all.map(messageLine).join(' | ').replace(/\s+/g, ' ').trim();
};
const messageLine = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { role, content, tool_calls: calls } = value as Said;
  if (typeof role !== 'string' || typeof content !== 'string') return JSON.stringify(value);
  const asked = Array.isArray(calls) ? ` calls ${JSON.stringify(calls)}` : '';
  return `${role}: ${content}${asked}`;
};
