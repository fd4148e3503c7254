import { useState } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type {
  HistoryEntry,
  HistoryHead,
} from '../../clients/typescript/src/generated/history-types.js';
import { useSurroundings } from '../client/context.js';
import { useQuery, type Query } from '../client/queries.js';
import type { PermittedOperations } from '../client/operations.js';
import type { Permit } from '../parts/permits.js';
import { windowOf } from '../parts/record-scope.js';
import type { RecordHistoryView, TimelineView } from './state.js';

/** Whether the caller may read the history of a project, or of the organisation. */
export type AuditPermit = Permit<'audit-org' | 'audit-project'>;
type Auditing = PermittedOperations<AuditPermit['requires']>;

/** Entries of one page; the service answers 1,000 at most. */
const pageEntries = 100;
/** Entries of the first answer: a screen's, which comes sooner than a page's. */
const firstEntries = 25;
/** Answers may be short where much is filtered or folded: so many requests for one page. */
const requestsMax = 12;

export type Entries = {
  readonly entries: readonly HistoryEntry[];
  /** Newest entry of the whole history. */
  readonly head: HistoryHead | null;
  readonly hasMore: boolean;
};

type HistoryAnswer = {
  readonly entries: readonly HistoryEntry[];
  readonly head: HistoryHead;
  readonly next_cursor: string | null;
};

/** Collects answers until there are `wanted` entries. */
const collect = async (answers: AsyncIterable<HistoryAnswer>, wanted: number): Promise<Entries> => {
  const entries: HistoryEntry[] = [];
  let head: HistoryHead | null = null;
  let requests = 0;
  for await (const page of answers) {
    entries.push(...page.entries);
    head ??= page.head;
    requests += 1;
    if (page.next_cursor === null) return { entries, head, hasMore: false };
    const isEnough = entries.length >= wanted;
    if (isEnough || requests >= requestsMax * Math.ceil(wanted / pageEntries)) break;
  }
  return { entries, head, hasMore: true };
};

type Question = ReturnType<typeof questionOf>;

const questionOf = ({ t, who, type, kind, technical }: TimelineView, now: number) => ({
  ...windowOf(t, now),
  ...(who !== null && { actor: who }),
  ...(type !== null && { event_type: type }),
  ...(kind !== null && { resource_type: kind as never }),
  technical: technical === 'on',
});

/** Entries that came so far, and where the next ones begin. */
type Collected = Entries & { readonly question: Question; readonly cursor: string | null };

const listEntries = (
  { history }: Auditing,
  projectId: string | null,
  question: Omit<NonNullable<Parameters<Auditing['history']['list']>[0]>, 'project_id'>,
  signal: AbortSignal,
) =>
  projectId === null
    ? history.list(question, { signal })
    : history.listOfProject({ project_id: projectId, ...question }, { signal });

/**
 * Entries of a project, or of the organisation, newest first. The first ones are shown as soon as
 * they come, and older pages go on where the last one ended.
 */
export const useTimeline = (
  permit: AuditPermit,
  projectId: string | null,
  view: TimelineView,
  pages: number,
): Query<Entries> => {
  const { service } = useSurroundings();
  const { t, who, type, kind, technical } = view;
  const filters = [projectId, t, who, type, kind, technical];
  const name = JSON.stringify(filters);
  const [shown, setShown] = useState<{ readonly name: string; readonly part: Collected } | null>(
    null,
  );
  const part = shown?.name === name ? shown.part : null;
  const query = useQuery({
    key: ['history', 'timeline', ...filters, pages],
    permit,
    ask: async (operations, signal): Promise<Entries> => {
      const wanted = pages * pageEntries;
      let now: Collected = part ?? begun(questionOf(view, service.now()));
      for (let requests = 0; requests < requestsMax && isShort(now, wanted); requests += 1) {
        const limit = now.entries.length === 0 ? firstEntries : pageEntries;
        const cursor = now.cursor === null ? {} : { cursor: now.cursor };
        const question = { ...now.question, limit, ...cursor };
        now = extended(now, await listEntries(operations, projectId, question, signal));
        if (signal.aborted) break;
        setShown({ name, part: now });
      }
      return now;
    },
    keepsPrevious: true,
  });
  const isPart = part !== null && (query.value === undefined || query.isPrevious);
  return isPart ? { ...query, value: part, isLoading: false, isPrevious: false } : query;
};

const begun = (question: Question): Collected => ({
  question,
  entries: [],
  head: null,
  cursor: null,
  hasMore: true,
});
const isShort = ({ entries, hasMore }: Collected, wanted: number): boolean =>
  hasMore && entries.length < wanted;
const extended = (now: Collected, answer: HistoryAnswer): Collected => ({
  question: now.question,
  entries: [...now.entries, ...answer.entries],
  head: now.head ?? answer.head,
  cursor: answer.next_cursor,
  hasMore: answer.next_cursor !== null,
});

/**
 * One entry by its number; null where there is none. The proof of a sealed entry says when it was
 * written; entries behind the seal are looked for from the newest one on.
 */
export const useEntryByNumber = (
  permit: AuditPermit,
  projectId: string | null,
  seq: number,
  isEnabled: boolean,
): Query<HistoryEntry | null> =>
  useQuery({
    key: ['history', 'entry', projectId, seq],
    permit,
    ask: async (operations, signal) => {
      const sealed = await operations.seals.proveEntry({ seq }, { signal }).then(
        ({ entry }) => entry,
        (error: AssayFault) => {
          if (error.code === 'not_found') return null;
          throw error;
        },
      );
      const narrowed =
        sealed === null
          ? {}
          : {
              start_time: sealed.at,
              end_time: sealed.at,
              event_type: [sealed.event_type],
              resource_id: [sealed.resource.id],
            };
      const question = { technical: true, limit: pageEntries, ...narrowed };
      let requests = 0;
      for await (const page of listEntries(operations, projectId, question, signal).pages()) {
        const found = page.entries.find((entry) => entry.seq === seq);
        if (found !== undefined) return found;
        requests += 1;
        const isPast = (page.entries.at(-1)?.seq ?? seq) < seq;
        if (isPast || requests >= requestsMax) return null;
      }
      return null;
    },
    isEnabled,
    freshMs: 60_000,
  });

/** The oldest entry of a project or of the organisation; null: none yet. */
export const useFirstEntry = (
  permit: AuditPermit,
  projectId: string | null,
  isEnabled: boolean,
): Query<HistoryEntry | null> =>
  useQuery({
    key: ['history', 'first', projectId],
    permit,
    ask: async (operations, signal) => {
      const question = { technical: true, order: 'asc', limit: 1 } as const;
      const page = await listEntries(operations, projectId, question, signal);
      return page.entries[0] ?? null;
    },
    isEnabled,
    freshMs: 60_000,
  });

export type HistorySubject = { readonly type: string; readonly id: string };

const subjectQuestion = ({ type, id }: HistorySubject, project: string | null) => ({
  resource: type as 'dataset',
  id,
  ...(project !== null && { project_id: project }),
});

/** All entries about one thing, oldest first. */
export const useRecordEntries = (
  subject: HistorySubject,
  { project }: RecordHistoryView,
  pages: number,
): Query<Entries> =>
  useQuery({
    key: ['history', 'record', subject.type, subject.id, project, pages],
    ask: (operations, signal) =>
      collect(
        operations.history
          .listOfResource(
            { ...subjectQuestion(subject, project), limit: recordEntries },
            { signal },
          )
          .pages(),
        pages * recordEntries,
      ),
    keepsPrevious: true,
  });
const recordEntries = 500;

/** The thing as it was at a position or instant; null where it did not exist. */
export const useRecordState = (
  subject: HistorySubject,
  { project, at }: RecordHistoryView,
): Query<Readonly<Record<string, unknown>> | null> =>
  useQuery({
    key: ['history', 'state', subject.type, subject.id, project, at],
    ask: async (operations, signal) => {
      const question = { ...subjectQuestion(subject, project), at: at ?? '', limit: 1 };
      return (await operations.history.listOfResource(question, { signal })).state ?? null;
    },
    isEnabled: at !== null,
    keepsPrevious: true,
    freshMs: 60_000,
  });
