import { runScorersOf, type RunScorer } from '../../contract/scorer-settings.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { ScorerSettingsEvent } from '../../events/scorers.js';
import type { Fold } from '../../kernel/decision.js';
import type { EventReader } from '../../kernel/ports.js';
import type { RunId } from '../../kernel/shapes.js';
import { load } from '../../kernel/transact.js';
import { runStream, scorerSettingsStream } from './streams.js';

/** Null: never set on the run itself. */
export type ScorerSettings = readonly RunScorer[] | null;

export const scorerSettings: Fold<ScorerSettings, ScorerSettingsEvent> = {
  initial: null,
  evolve: (_before, { data }) => runScorersOf(data.scorers),
};

/** The scorers of a run; an experiment begins with those that it was created with. */
export const scorersOfRun = async (log: EventReader, run: RunId): Promise<readonly RunScorer[]> => {
  const { state } = await load(log, scorerSettingsStream(run), scorerSettings);
  if (state !== null) return state;
  const [first] = await log.read(runStream(run));
  if (first?.type !== 'ExperimentCreated') return [];
  const { data } = first as unknown as Extract<ExperimentEvent, { type: 'ExperimentCreated' }>;
  return runScorersOf(data.scorers);
};
