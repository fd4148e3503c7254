import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import { annotationTemplatesStream } from '../facts/annotation-templates.js';
import { priceListStream } from '../facts/price-list.js';
import { insightsSettingsStream } from '../facts/insights-settings.js';
import { storedResponsesPrefix, runResponsesPrefix } from '../facts/idempotency.js';
import { runScoringStream } from '../facts/run-scoring.js';
import { scorerSettingsStream } from '../facts/scorer-settings.js';
import { scorerQueueStream } from '../facts/scorer-tasks.js';
import { experimentScopeStream, rankingCriteriaStream } from '../facts/experiments.js';
import { runStream } from '../facts/runs.js';
import { projectStream } from '../facts/projects.js';
import { viewsStream } from '../facts/views.js';

/** A deleted run or project; `project` of a run is the one that it was in. */
export type DeletedContainer = {
  readonly kind: 'run' | 'project';
  readonly id: string;
  readonly project: string;
};

/**
 * Name prefix of streams that may belong to a deleted container. `owner`: all of them are this
 * project's; null: their first event names the owner.
 */
export type StreamPrefix = { readonly prefix: string; readonly owner: string | null };

/**
 * Prefixes for any number of deleted projects, or for deleted runs of one project; records first.
 */
export const streamPrefixesOf = (deleted: readonly DeletedContainer[]): readonly StreamPrefix[] => {
  const [first] = deleted;
  if (first === undefined) return [];
  if (first.kind === 'run') {
    return [
      ...recordPrefixes(first.project).map((prefix) => ({ prefix, owner: null })),
      ...deleted.map(({ id, project }) => ({ prefix: runResponsesPrefix(project, id), owner: id })),
      ...deleted.map(({ id }) => ({ prefix: `${streamNameOf('past-scoring', id)}-`, owner: id })),
    ];
  }
  return [
    ...deleted.flatMap(({ id }) =>
      [...recordPrefixes(id), sizesPrefix(id), storedResponsesPrefix(id)].map((prefix) => ({
        prefix,
        owner: id,
      })),
    ),
    ...unscopedPrefixes.map((prefix) => ({ prefix, owner: null })),
  ];
};

const recordPrefixes = (project: string): readonly string[] =>
  ['trace', 'session'].map((noun) => `${streamNameOf(noun, project)}-`);

/** Prefix of the size counters of a project's sessions. */
const sizesPrefix = (project: string): string => `${streamNameOf('sized-session', project)}-`;

/** Prefixes of streams in a project whose names lack its id. `run-` covers `run-scoring-` too. */
const unscopedPrefixes = [
  'run-',
  'insights-settings-',
  'scorer-settings-',
  'scorer-task-',
  'past-scoring-',
  'experiment-scope-',
];

/** Streams named after the deleted id. Its own is last: until then it says what existed. */
export const streamsNamedAfter = ({ kind, id }: DeletedContainer): readonly StreamName[] =>
  kind === 'run'
    ? [insightsSettingsStream(id), scorerSettingsStream(id), runScoringStream(id), runStream(id)]
    : [
        annotationTemplatesStream(id),
        priceListStream(id),
        rankingCriteriaStream(id),
        experimentScopeStream(id),
        scorerQueueStream(id),
        viewsStream(id),
        projectStream(id),
      ];
