import type {
  HistoryEntry,
  HistoryHead,
} from '../../clients/typescript/src/generated/history-types.js';
import { useSurroundings } from '../client/context.js';
import { useQuery, type Query } from '../client/queries.js';
import { windowOf } from '../parts/record-scope.js';
import type { RecordHistoryView, TimelineView } from './state.js';

/** Entries of one page; the service answers 1,000 at most. */
const pageEntries = 100;
/** Answers may be short where much is filtered: so many requests for one page. */
const requestsMax = 10;

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

/** Entries of a project, or of the organisation, newest first. */
export const useTimeline = (
  projectId: string | null,
  view: TimelineView,
  pages: number,
): Query<Entries> => {
  const { service } = useSurroundings();
  const { t, who, type, kind, technical } = view;
  return useQuery({
    key: ['history', 'timeline', projectId, t, who, type, kind, technical, pages],
    ask: (operations, signal) => {
      const question = {
        ...windowOf(t, service.now()),
        ...(who !== null && { actor: who }),
        ...(type !== null && { event_type: type }),
        ...(kind !== null && { resource_type: kind as never }),
        technical: technical === 'on',
        limit: pageEntries,
      };
      const answers =
        projectId === null
          ? operations.history.list(question, { signal })
          : operations.history.listOfProject({ project_id: projectId, ...question }, { signal });
      return collect(answers.pages(), pages * pageEntries);
    },
    keepsPrevious: true,
  });
};

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
