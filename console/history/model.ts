import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { printBytes } from '../parts/numbers.js';

/** Entries of one correlation, in the order of the list. */
export type EntryGroup = { readonly id: string; readonly entries: readonly HistoryEntry[] };

/**
 * Groups entries by correlation, each group where its first entry is. Entries without one stand
 * alone; an entry that two pages repeat counts once.
 */
export const groupEntries = (entries: readonly HistoryEntry[]): readonly EntryGroup[] => {
  const groups = new Map<string, HistoryEntry[]>();
  const seen = new Set<number>();
  for (const entry of entries) {
    if (seen.has(entry.seq)) continue;
    seen.add(entry.seq);
    const id = entry.correlation_id ?? `entry ${entry.seq}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry]);
    else group.push(entry);
  }
  return [...groups].map(([id, grouped]) => ({ id, entries: grouped }));
};

/** A member that changed; null: it was, or is, not there. */
export type MemberChange = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** True for a text whose digest stayed the same. */
  readonly isUnchanged: boolean;
};

type Patch = Readonly<Record<string, unknown>>;

/** Names of people, keys, templates and things by id, as far as they are known. */
export type EntryNames = ReadonlyMap<string, string>;

/**
 * The members that two merge patches differ in, in the order of the later one; ids within a path
 * are named where they are known.
 */
export const memberChanges = (
  before: Patch | null,
  after: Patch | null,
  names: EntryNames = new Map(),
): readonly MemberChange[] => {
  const [old, now] = [flattenMembers(before, names), flattenMembers(after, names)];
  const paths = new Set([...now.keys(), ...old.keys()]);
  return [...paths]
    .map((path) => {
      const [left, right] = [old.get(path), now.get(path)];
      const [from, to] = [printMember(left), printMember(right)];
      const isUnchanged = isDigest(left) && isDigest(right) && left.sha256 === right.sha256;
      return { path, before: from, after: to, isUnchanged };
    })
    .filter(({ before: from, after: to }) => from !== null || to !== null);
};

/** Projects of which templates are asked at once. */
const ratedProjectsMax = 5;

/** Projects of entries about ratings, whose templates name what was rated. */
export const ratedProjects = (entries: readonly HistoryEntry[]): readonly string[] => {
  const isRated = (patch: Patch | null): boolean =>
    Object.keys(patch?.['annotations'] ?? {}).length > 0;
  const rated = entries.flatMap(({ project_id: id, before, after }) =>
    id !== null && (isRated(before) || isRated(after)) ? [id] : [],
  );
  return [...new Set(rated)].slice(0, ratedProjectsMax);
};

/** Members by path, nested objects down to theirs; lists and digests of texts whole. */
const flattenMembers = (value: Patch | null, names: EntryNames): ReadonlyMap<string, unknown> => {
  const members = new Map<string, unknown>();
  const add = (path: string, member: unknown): void => {
    if (!isObject(member) || isDigest(member) || Object.keys(member).length === 0) {
      members.set(path, member);
      return;
    }
    for (const [name, one] of Object.entries(member)) {
      add(`${path} / ${names.get(name) ?? shortName(name)}`, one);
    }
  };
  for (const [name, member] of Object.entries(value ?? {})) add(name, member);
  return members;
};

/** Ids are short within a path, as everywhere. */
const shortName = (name: string): string =>
  /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name) ? name.slice(0, 8) : name;

type TextDigest = { readonly sha256: string; readonly bytes: number };

const isObject = (value: unknown): value is Patch =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isDigest = (value: unknown): value is TextDigest =>
  isObject(value) &&
  Object.keys(value).length === 2 &&
  typeof value['sha256'] === 'string' &&
  typeof value['bytes'] === 'number';

/** Text of a value: digests as size and digest, the rest as JSON; null for none. */
const printMember = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (isDigest(value)) return `${printBytes(value.bytes)}, ${value.sha256.slice(0, 8)}…`;
  return JSON.stringify(replaceDigests(value));
};

const replaceDigests = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(replaceDigests);
  return isDigest(value) ? printMember(value) : value;
};

/** The text of a change: `before → after`, or the size of a text that stayed. */
export const changeText = ({ before, after, isUnchanged }: MemberChange): string => {
  if (isUnchanged) return `${before?.split(',')[0] ?? ''}, unchanged`;
  return before === null ? (after ?? '–') : `${before} → ${after ?? '–'}`;
};

/** Things whose history needs the project with it (contract 5.14). */
const needsProject = (type: string): boolean =>
  type === 'session' || type === 'trace' || type === 'annotation_template';

/** Path and view of the history of the thing that an entry is about. */
export const recordHistoryPlace = ({
  resource: { type, id },
  project_id: projectId,
}: Pick<HistoryEntry, 'resource' | 'project_id'>): { path: string; view: string } => ({
  path: `/history/${type}/${encodeURIComponent(id)}`,
  view: projectId !== null && needsProject(type) ? `project=${projectId}` : '',
});

/** Path and view of the thing itself; null where no page shows it. */
export const thingPlace = (
  type: string,
  id: string,
  projectId: string | null,
): { readonly path: string; readonly text: string } | null => {
  const root = `/p/${projectId ?? ''}`;
  if (type === 'dataset') return { path: `/datasets/${id}`, text: 'Dataset' };
  if (type === 'project') return { path: `/p/${id}`, text: 'Project' };
  if (type === 'scorer') return { path: `/scorers/${id}`, text: 'Scorer' };
  if (projectId === null) return null;
  if (type === 'trace') return { path: `${root}/traces/${id}`, text: 'Trace' };
  if (type === 'session') return { path: `${root}/sessions/${id}`, text: 'Session' };
  if (type === 'log_stream') return { path: `${root}/runs/${id}`, text: 'Log stream' };
  return null;
};

/**
 * Index of the entry whose position a state was asked at: the last one at or before `at`, a
 * position or an instant. -1: before the first.
 */
export const entryIndexAt = (entries: readonly HistoryEntry[], at: string | null): number => {
  if (at === null) return entries.length - 1;
  const isPosition = /^[0-9a-f]{16}$/.test(at);
  return entries.findLastIndex((entry) => (isPosition ? entry.position : entry.at) <= at);
};

/** The entry to open next, `by` steps along the list as it is shown; the ends stay. */
export const nextOpen = (
  entries: readonly HistoryEntry[],
  open: string | null,
  by: number,
): string | null => {
  const shown = groupEntries(entries).flatMap((group) => group.entries);
  const index = shown.findIndex(({ seq }) => String(seq) === open);
  const next = index < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, index + by));
  const seq = shown[next]?.seq;
  return seq === undefined ? null : String(seq);
};

/** Kinds of deletions that have a certificate (contract 5.14). */
export const certificateKinds = [
  { value: 'deletion', text: 'deleted records' },
  { value: 'job', text: 'job of the organisation' },
  { value: 'run', text: 'log stream or experiment' },
  { value: 'dataset', text: 'dataset' },
  { value: 'project', text: 'project' },
] as const;
export type CertificateKind = (typeof certificateKinds)[number]['value'];

/** The deletion that an entry is of, as `kind:id`; null where its entry is of none. */
export const certifiedDeletion = ({
  stream,
  event_type: type,
  resource,
}: Pick<HistoryEntry, 'stream' | 'event_type' | 'resource'>): string | null => {
  if (type === 'DatasetDeleted' || type === 'DatasetErased') return `dataset:${resource.id}`;
  const [, kind, id = ''] = /^(deletion|org-job|erasure)-(.+)$/.exec(stream) ?? [];
  if (kind === 'org-job') return `job:${id}`;
  if (kind === 'deletion') return `deletion:${id}`;
  if (kind === undefined) return null;
  // The erasure of a run or a project has the id of what was deleted.
  if (resource.id !== id) return `deletion:${id}`;
  return resource.type === 'project' ? `project:${id}` : `run:${id}`;
};
