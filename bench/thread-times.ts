import { readdirSync, readFileSync } from 'node:fs';

export const processorParts = [
  'accepting',
  'log writer',
  'read side',
  'V8 platform',
  'libuv pool',
  'others',
] as const;
/** Threads of the service as a budget counts them; accepting is the main thread. */
type ThreadPart = (typeof processorParts)[number];

/** Processor time of each living thread of a process, in microseconds, by thread id. */
type ThreadTimes = ReadonlyMap<
  number,
  { readonly part: ThreadPart; readonly microseconds: number }
>;
/** Microseconds of processor for each unit of work. */
export type ProcessorTimes = Readonly<Record<ThreadPart | 'sum', number>>;

/** Names that the service, Node and libuv give their threads. */
const partsByName: readonly (readonly [name: RegExp, part: ThreadPart])[] = [
  [/^log-writer$/, 'log writer'],
  [/^read-side$/, 'read side'],
  [/V8Worker$/, 'V8 platform'],
  [/^libuv-worker$/, 'libuv pool'],
];
const partOf = (name: string): ThreadPart =>
  partsByName.find(([form]) => form.test(name))?.[1] ?? 'others';

/** Reads the processor time of a process by thread; null where Linux's /proc is absent. */
const threadTimesOf = (pid: number): ThreadTimes | null => {
  const folder = `/proc/${pid}/task`;
  const times = new Map<number, { part: ThreadPart; microseconds: number }>();
  for (const tid of namesIn(folder)) {
    const name = textOf(`${folder}/${tid}/comm`)?.trim();
    const nanoseconds = textOf(`${folder}/${tid}/schedstat`)?.split(' ')[0];
    // The thread has ended since.
    if (name === undefined || nanoseconds === undefined) continue;
    const part = Number(tid) === pid ? 'accepting' : partOf(name);
    times.set(Number(tid), { part, microseconds: Number(nanoseconds) / 1_000 });
  }
  return times.size === 0 ? null : times;
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/**
 * Starts counting the processor time of a process. The function returned divides what was used
 * since by `units`; null where Linux's /proc is absent. A thread that ended meanwhile is left out.
 */
export const countProcessorTime = (pid: number): ((units: number) => ProcessorTimes | null) => {
  const before = threadTimesOf(pid);
  return (units) => {
    const after = threadTimesOf(pid);
    if (before === null || after === null) return null;
    const spent = { ...zeroTimes };
    for (const [tid, { part, microseconds }] of after) {
      const used = (microseconds - (before.get(tid)?.microseconds ?? 0)) / units;
      spent[part] += used;
      spent.sum += used;
    }
    return spent;
  };
};

const zeroTimes: Record<keyof ProcessorTimes, number> = {
  accepting: 0,
  'log writer': 0,
  'read side': 0,
  'V8 platform': 0,
  'libuv pool': 0,
  others: 0,
  sum: 0,
};

/** Message of rows that have to do without processor times. */
export const noProcessorTimes = 'processor time by thread is left out: it needs /proc of Linux';

/** Columns of a row; none without times. */
export const processorColumns = (
  times: ProcessorTimes | null,
  unit: 'µs' | 'ms',
): Readonly<Record<string, number>> => {
  const columns: Record<string, number> = {};
  if (times === null) return columns;
  for (const part of [...processorParts, 'sum'] as const)
    columns[`${part} ${unit}`] = unit === 'µs' ? times[part] : times[part] / 1_000;
  return columns;
};
