import { Type, type Static } from 'typebox';
import { nodeTypes, type NodeType } from '../kernel/sandbox.js';
import {
  id,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type RunId,
  type ScorerId,
} from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import type { RunScoringFacts } from './jobs.js';
import { operation } from './operation.js';
import { sumScoringCounts, noOutcomes, scoringCounts } from './scoring-counts.js';

const runScorersMax = 50;
const scorerType = oneOf(['code', 'preset']);
const runScorer = {
  id: id('ScorerId'),
  name: Type.String(),
  scorer_type: scorerType,
  scoreable_node_types: nullable(Type.Array(oneOf(nodeTypes))),
};
const settings = namedSchema(
  'ScorerSettings',
  Type.Object({
    run_id: id('RunId'),
    scorers: Type.Array(namedSchema('RunScorer', Type.Object(runScorer))),
    segment_filters: Type.Null(),
  }),
);
const countedSettings = namedSchema(
  'CountedScorerSettings',
  Type.Object({
    ...settings.properties,
    scorers: Type.Array(
      namedSchema(
        'CountedRunScorer',
        Type.Object({ ...runScorer, counts: nullable(scoringCounts) }),
      ),
    ),
  }),
);
/** Scorers of a run, also in the creation of an experiment (contract 5.5). */
export const scorersInput = Type.Array(
  namedSchema(
    'RunScorerInput',
    Type.Object({
      id: id('ScorerId'),
      name: nullish(Type.String({ maxLength: 128 })),
      scorer_type: scorerType,
      scoreable_node_types: nullish(Type.Array(oneOf(nodeTypes), { maxItems: nodeTypes.length })),
    }),
  ),
  { maxItems: runScorersMax },
);
export type ScorersInput = Static<typeof scorersInput>;
const settingsInput = namedSchema(
  'ScorerSettingsInput',
  Type.Object({ run_id: nullish(id('RunId')), scorers: scorersInput }),
);
export type RunScorer = Static<typeof settings>['scorers'][number];

const shared = {
  section: '5.10',
  path: '/v2/projects/{project_id}/runs/{run_id}/scorer-settings',
  response: settings,
} as const;
const write = {
  ...shared,
  requires: 'editor',
  body: settingsInput,
} as const;

export const readScorerSettings = operation({
  ...shared,
  response: countedSettings,
  operationId: 'readScorerSettings',
  summary: 'Scorers of a run',
  description:
    'They score each trace of the run when it is complete, and again when it changes; `counts` ' +
    'says what became of the records of each.',
  method: 'GET',
  requires: 'viewer',
});

export const setScorerSettings = operation({
  ...write,
  operationId: 'setScorerSettings',
  summary: 'Choose the scorers of a run',
  description: 'Replaces the list; at most 50.',
  example: { scorers: [{ id: exampleIds.scorer_id, scorer_type: 'code' }] },
  method: 'POST',
});

export const changeScorerSettings = operation({
  ...write,
  operationId: 'changeScorerSettings',
  summary: 'Replace the scorers of a run',
  description: 'The whole list is replaced, as by POST.',
  example: { scorers: [{ id: exampleIds.scorer_id, scorer_type: 'code' }] },
  method: 'PATCH',
});

export const scorerSettingsOperations = [
  readScorerSettings,
  setScorerSettings,
  changeScorerSettings,
];

export const scorerSettingsAnswer = (
  run: RunId,
  scorers: readonly RunScorer[],
): Static<typeof settings> => ({ run_id: run, scorers: [...scorers], segment_filters: null });

/** Settings with counts; presets have none, since the worker does not run them. */
export const countedSettingsAnswer = (
  run: RunId,
  scorers: readonly RunScorer[],
  outcomes: RunScoringFacts['outcomes'],
): Static<typeof countedSettings> => ({
  ...scorerSettingsAnswer(run, scorers),
  scorers: scorers.map((one) => ({
    ...one,
    counts: one.scorer_type === 'code' ? sumScoringCounts(outcomes[one.id] ?? noOutcomes) : null,
  })),
});

type StoredRunScorer = Partial<Readonly<Record<keyof typeof runScorer, unknown>>>;

/**
 * Scorers of a run from an event; those of an experiment's creation are as sent, so invalid ones
 * are left out.
 */
export const runScorersOf = (stored: readonly StoredRunScorer[]): readonly RunScorer[] =>
  stored.flatMap(({ id: scorer, name, scorer_type: type, scoreable_node_types: kinds }) =>
    typeof scorer === 'string'
      ? [
          {
            id: scorer as ScorerId,
            name: typeof name === 'string' ? name : '',
            scorer_type: type === 'preset' ? ('preset' as const) : ('code' as const),
            scoreable_node_types: Array.isArray(kinds)
              ? nodeTypes.filter((one): one is NodeType => kinds.includes(one))
              : null,
          },
        ]
      : [],
  );
