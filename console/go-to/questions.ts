import { containsFilter } from '../client/contains-filter.js';
import { kindOf } from '../client/filter-context.js';
import { useQuery } from '../client/queries.js';
import type { Operations } from '../client/operations.js';
import type { ExploredRecord } from '../explorer/cell-text.js';
import { recordPath } from '../explorer/record-columns.js';
import type { FilterTree } from '../language/filter-tree.js';
import type { Population } from '../../kernel/records/record.js';
import type { PlaceOption, WantedPlace } from './model.js';

/** Places of one kind that an answer lists. */
const listedMax = 5;
/** Questions at once: the service works on two of a project, a browser has six connections. */
const questionsMax = 3;
const freshMs = 10_000;

type Place = Omit<PlaceOption, 'kind'>;
type Question = {
  readonly operations: Operations;
  readonly wanted: WantedPlace;
  readonly projectId: string;
  /** True for a path that a page shows. */
  readonly hasPage: (path: string) => boolean;
  readonly signal: AbortSignal;
};

/** One kind of places, and the question that finds them. */
type Source = {
  readonly kind: PlaceOption['kind'];
  /** First member of the query's key. */
  readonly noun: string;
  /** True where the places are of the project at hand. */
  readonly isOfProject: boolean;
  /** True where the places are found by an id only. */
  readonly isById: boolean;
  readonly ask: (question: Question) => Promise<readonly Place[]>;
};

type Listed = { readonly id: string; readonly name: string };

const namePlace = (path: string, { id, name }: Listed, view = ''): Place => ({
  text: name,
  note: id.slice(0, 8),
  path,
  view,
});

/** Condition of a list: the name contains the text, or the id is this one. */
const listing = (wanted: WantedPlace) => ({
  filters:
    wanted.by === 'name'
      ? containsFilter('name', wanted.text)
      : [{ name: 'id', operator: 'eq', value: wanted.id ?? '' } as const],
  limit: listedMax,
});

const lists: readonly Omit<Source, 'isById'>[] = [
  {
    kind: 'Projects',
    noun: 'projects',
    isOfProject: false,
    ask: async ({ operations, wanted, signal }) => {
      const page = await operations.projects.page(listing(wanted), { signal });
      return page.projects.map((one) => namePlace(`/p/${one.id}`, one));
    },
  },
  {
    kind: 'Datasets',
    noun: 'datasets',
    isOfProject: false,
    ask: async ({ operations, wanted, signal }) => {
      const page = await operations.datasets.query(listing(wanted), { signal });
      return page.datasets.map((one) => namePlace(`/datasets/${one.id}`, one));
    },
  },
  {
    kind: 'Log streams',
    noun: 'log-streams',
    isOfProject: true,
    ask: async ({ operations, wanted, projectId, hasPage, signal }) => {
      const question = { project_id: projectId, ...listing(wanted) };
      const page = await operations.logStreams.search(question, { signal });
      return page.log_streams.map((one) => {
        const path = `/p/${projectId}/runs/${one.id}`;
        if (hasPage(path)) return namePlace(path, one);
        return namePlace(`/p/${projectId}/traces`, one, `t=all&run=log_stream:${one.id}`);
      });
    },
  },
  {
    kind: 'Experiments',
    noun: 'experiments',
    isOfProject: true,
    ask: async ({ operations, wanted, projectId, signal }) => {
      const question = { project_id: projectId, ...listing(wanted) };
      const page = await operations.experiments.search(question, { signal });
      return page.experiments.map((one) =>
        namePlace(`/p/${projectId}/experiments`, one, `open=${one.id}`),
      );
    },
  },
  {
    kind: 'Scorers',
    noun: 'scorers',
    isOfProject: false,
    ask: async ({ operations, wanted, signal }) => {
      const page = await operations.scorers.list(listing(wanted), { signal });
      return page.scorers.map((one) => namePlace(`/scorers/${one.id}`, one));
    },
  },
];

/** Records with this id, or for which a client sent it as theirs. */
const recordSource = (kind: PlaceOption['kind'], population: Population): Source => ({
  kind,
  noun: kindOf[population],
  isOfProject: true,
  isById: true,
  ask: async ({ operations, wanted, projectId, signal }) => {
    if (wanted.by === 'name') return [];
    const { id, externalIds } = wanted;
    const external: FilterTree = {
      filter: { type: 'text', name: 'external_id', operator: 'one_of', value: externalIds },
    };
    const own: FilterTree = {
      filter: { type: 'id', name: 'id', operator: 'eq', value: id ?? '' },
    };
    const question = {
      project_id: projectId,
      filter_tree: id === null ? external : { or: [own, external] },
      fields: ['type', 'name', 'trace_id', 'created_at'],
      limit: listedMax,
    };
    const page = await operations[kindOf[population]].search(question, { signal });
    const records = page.records as readonly unknown[] as readonly ExploredRecord[];
    return records.map((record) => ({
      text: nameOf(record),
      note: `${record.created_at.slice(0, 19).replace('T', ' ')} UTC`,
      path: recordPath(projectId, record),
      view: population === 'span' ? `sel=${record.id}` : '',
    }));
  },
});

/** The name of a record, else its kind. */
const nameOf = ({ name, type }: ExploredRecord & { readonly name?: unknown }): string =>
  typeof name === 'string' && name !== '' ? name : type;

const sources: readonly Source[] = [
  recordSource('Traces', 'trace'),
  recordSource('Spans', 'span'),
  recordSource('Sessions', 'session'),
  ...lists.map((one) => ({ ...one, isById: false })),
];

/** Places that the service knows by name or id; at most three questions at once. */
export const usePlaces = (
  wanted: WantedPlace | null,
  projectId: string | null,
  hasPage: (path: string) => boolean,
) => {
  let open = 0;
  let fault: string | null = null;
  const options: PlaceOption[] = [];
  // The list of sources never changes, so that each has its own hook.
  for (const { kind, noun, isOfProject, isById, ask } of sources) {
    const isKnowable = wanted?.by === 'name' ? !isById : isById || wanted?.id !== null;
    const isWanted = wanted !== null && isKnowable && !(isOfProject && projectId === null);
    const places = useQuery({
      key: [noun, 'go to', kind, isOfProject ? projectId : null, wanted],
      ask: (operations, signal) =>
        ask({
          operations,
          wanted: wanted ?? { by: 'name', text: '' },
          projectId: projectId ?? '',
          hasPage,
          signal,
        }),
      isEnabled: isWanted && open < questionsMax,
      freshMs,
    });
    if (isWanted && places.value === undefined && places.fault === null) open += 1;
    if (!isWanted) continue;
    fault ??= places.fault?.message ?? null;
    const known = (places.value ?? []).filter(({ path }) => hasPage(path));
    options.push(...known.map((place) => ({ ...place, kind })));
  }
  return { options, isAsking: open > 0, fault };
};
