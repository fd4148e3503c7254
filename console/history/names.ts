import { useMemo } from 'preact/hooks';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { useCaller, useQuery } from '../client/queries.js';
import { personPermit } from '../parts/permits.js';
import { namesOf } from './entry-words.js';
import { ratedProjects, type EntryNames } from './model.js';

/** People to choose from; others by a click on their entry. */
const peopleMax = 100;
const keysMax = 100;

/** The people of the organisation. */
export const usePeople = () =>
  useQuery({
    key: ['users', 'all'],
    permit: personPermit(useCaller().value, 'person'),
    ask: (operations, signal) => operations.users.search({ limit: peopleMax }, { signal }),
    freshMs: 60_000,
  });

/**
 * Names for these entries: of people, the caller's keys, templates of ratings, and things that the
 * entries name.
 */
export const useNames = (entries: readonly HistoryEntry[]): EntryNames => {
  const caller = useCaller().value;
  const people = usePeople().value;
  const keys = useQuery({
    key: ['api-keys', 'names', caller?.id],
    permit: personPermit(caller, 'self'),
    ask: (operations, signal) =>
      operations.apiKeys.list({ user_id: caller?.id ?? '', limit: keysMax }, { signal }),
    isEnabled: entries.some(({ actor }) => actor.type === 'api_key'),
    freshMs: 60_000,
  }).value;
  const projects = ratedProjects(entries);
  const templates = useQuery({
    key: ['templates', 'names', ...projects],
    // A project that the caller may not read, or that is gone, leaves its ids.
    ask: (operations, signal) =>
      Promise.all(
        projects.map((project_id) =>
          operations.annotations.listTemplates({ project_id }, { signal }).catch(() => []),
        ),
      ),
    isEnabled: projects.length > 0,
    freshMs: 60_000,
  }).value;
  return useMemo(
    () => namesOf(entries, people?.users ?? [], keys?.api_keys ?? [], templates?.flat() ?? []),
    [entries, people, keys, templates],
  );
};
