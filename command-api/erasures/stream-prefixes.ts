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

/** A run or a project that was deleted; the project of a run is the one that it was in. */
export type DeletedContainer = {
  readonly kind: 'run' | 'project';
  readonly id: string;
  readonly project: string;
};

/**
 * Streams that may be a deleted one's, by what their names begin with. `owner`: all of them are
 * this project's; null: they say in their first event what they are of.
 */
export type StreamPrefix = { readonly prefix: string; readonly owner: string | null };

/** Of deleted projects, however many, or of deleted runs of one project. Records come first. */
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

/** How large its sessions were. */
const sizesPrefix = (project: string): string => `${streamNameOf('sized-session', project)}-`;

/** Of the things in a project whose names do not have it. Those of `run-scoring-` begin as runs. */
const unscopedPrefixes = [
  'run-',
  'insights-settings-',
  'scorer-settings-',
  'scorer-task-',
  'past-scoring-',
  'experiment-scope-',
];

/**
 * Streams that have the deleted one's own id in their names. Its own is the last: until then it
 * says what there was.
 */
export const streamsNamedAfter = ({ kind, id }: DeletedContainer): readonly StreamName[] =>
  kind === 'run'
    ? [insightsSettingsStream(id), scorerSettingsStream(id), runScoringStream(id), runStream(id)]
    : [
        annotationTemplatesStream(id),
        priceListStream(id),
        rankingCriteriaStream(id),
        experimentScopeStream(id),
        scorerQueueStream(id),
        projectStream(id),
      ];
