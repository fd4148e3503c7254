import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { AssayFault } from '../../clients/typescript/src/fault.js';
import type { DatasetRow } from '../../clients/typescript/src/generated/datasets-types.js';
import type { DatasetVersion } from '../../clients/typescript/src/generated/datasets-types-2.js';
import { useSurroundings } from '../client/context.js';
import { useQuery } from '../client/queries.js';
import type { Operations } from '../client/operations.js';
import { readPermit } from '../parts/permits.js';
import { missingSpan, type RowSpan } from './rows.js';

/** The dataset, as it is or as it was, with the tag of its record. */
export const useDataset = (id: string, at: string | null) =>
  useQuery({
    key: ['datasets', id, at],
    ask: async (operations, signal) => {
      let tag = '';
      const dataset = await operations.datasets.get(
        { dataset_id: id, ...(at !== null && { as_of: at }) },
        {
          signal,
          onAnswer: ({ headers }) => {
            tag = headers.get('ETag') ?? '';
          },
        },
      );
      return { dataset, tag };
    },
  });

/**
 * Tag of the content at this version; null where a later one is there. The tag is asked before the
 * number: versions only grow, so it is of this version where the number still is.
 */
export const useContentTag = (id: string, version: number, isEnabled: boolean) =>
  useQuery({
    key: ['datasets', id, 'tag', version],
    ask: async (operations, signal) => {
      let tag = '';
      await operations.datasets.content(
        { dataset_id: id, limit: 1 },
        {
          signal,
          onAnswer: ({ headers }) => {
            tag = headers.get('ETag') ?? '';
          },
        },
      );
      const { versions } = await operations.datasets.queryVersions(
        { dataset_id: id, limit: 1 },
        { signal },
      );
      return versions[0]?.version_index === version ? tag : null;
    },
    isEnabled,
  });

/** Versions, newest first, so many pages of 100. */
export const useVersions = (id: string, pages: number) =>
  useQuery({
    key: ['datasets', id, 'versions', pages],
    ask: async (operations, signal) => {
      const versions: DatasetVersion[] = [];
      let asked = 0;
      const list = operations.datasets.queryVersions({ dataset_id: id }, { signal });
      for await (const page of list.pages()) {
        versions.push(...page.versions);
        asked += 1;
        if (asked >= pages) return { versions, hasMore: page.next_starting_token !== null };
      }
      return { versions, hasMore: false };
    },
    keepsPrevious: true,
  });

/** The versions after one, oldest first. */
export const versionsSince = async (
  operations: Operations,
  id: string,
  version: number,
  signal?: AbortSignal,
): Promise<readonly DatasetVersion[]> => {
  const found: DatasetVersion[] = [];
  const options = signal === undefined ? {} : { signal };
  for await (const one of operations.datasets.queryVersions({ dataset_id: id }, options)) {
    if (one.version_index <= version) break;
    found.unshift(one);
  }
  return found;
};

/** A version of a dataset that `current` is the newest of; null: there is no such version. */
export const useVersion = (id: string, version: number, current: number) =>
  useQuery({
    key: ['dataset versions', id, version],
    ask: async (operations, signal) => {
      // Newest first; versions that came since move it by as many places.
      const starting_token = Math.max(0, current - version);
      const question = { dataset_id: id, starting_token, limit: slackVersions };
      const { versions } = await operations.datasets.queryVersions(question, { signal });
      return versions.find((one) => one.version_index === version) ?? null;
    },
    freshMs: Number.POSITIVE_INFINITY,
  });
const slackVersions = 50;

/** The rows of a version, asked as they are wanted and kept. */
export type DatasetRows = {
  readonly total: number;
  /** Undefined until it came. */
  readonly at: (index: number) => DatasetRow | undefined;
  /** Asks for rows that are drawn; a later call replaces the wish of an earlier one. */
  readonly want: (first: number, count: number) => void;
  /** Rejects with a fault. */
  readonly load: (index: number) => Promise<DatasetRow | undefined>;
  readonly fault: AssayFault | null;
  readonly retry: () => void;
};

type RowState = {
  readonly key: string;
  readonly rows: Map<number, DatasetRow>;
  wanted: RowSpan;
  isRunning: boolean;
  fault: AssayFault | null;
};

const openRowState = (key: string): RowState => ({
  key,
  rows: new Map(),
  wanted: { from: 0, count: 0 },
  isRunning: false,
  fault: null,
});

/** A version never changes, so that its rows are asked once. */
export const useDatasetRows = (id: string, version: number, total: number): DatasetRows => {
  const { queries, service } = useSurroundings();
  const key = `${id} ${version}`;
  const state = useRef(openRowState(key));
  const [, update] = useReducer((count: number, _event: null) => count + 1, 0);
  if (state.current.key !== key) state.current = openRowState(key);
  const own = state.current;
  const ask = async (span: RowSpan): Promise<void> => {
    const question = { dataset_id: id, version_index: version };
    const page = { starting_token: span.from, limit: span.count };
    const { rows } = await queries.fetchQuery({
      queryKey: ['dataset rows', id, version, page],
      queryFn: async ({ signal }) => {
        const answer = await service.read(readPermit, (operations) =>
          operations.datasets.versionContent({ ...question, ...page }, { signal }),
        );
        return answer.value;
      },
      staleTime: Number.POSITIVE_INFINITY,
    });
    if (rows.length === 0) throw new Error('The version has fewer rows than it says');
    for (const row of rows) own.rows.set(row.index, row);
    update(null);
  };
  const isThere = (index: number): boolean => own.rows.has(index);
  const run = async (): Promise<void> => {
    if (own.isRunning) return;
    own.isRunning = true;
    try {
      for (;;) {
        const span = missingSpan(own.wanted, total, isThere);
        if (span === null || state.current !== own) break;
        await ask(span);
      }
    } catch (error) {
      own.fault = error as AssayFault;
      update(null);
    } finally {
      own.isRunning = false;
    }
  };
  const want = (from: number, count: number): void => {
    own.wanted = { from, count };
    if (own.fault === null) void run();
  };
  useEffect(() => want(0, firstRows), [key, total]);
  return {
    total,
    at: (index) => own.rows.get(index),
    want,
    load: async (index) => {
      for (;;) {
        const span = missingSpan({ from: index, count: 1 }, total, isThere);
        if (span === null) return own.rows.get(index);
        await ask(span);
      }
    },
    fault: own.fault,
    retry: () => {
      own.fault = null;
      void run();
    },
  };
};
/** Rows that are wanted before the grid says which ones it draws. */
const firstRows = 40;
