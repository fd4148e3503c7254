import type { Principal } from '../../contract/roles.js';
import { runScorersOf, type ScorersInput, type RunScorer } from '../../contract/scorer-settings.js';
import { presetScorers } from '../../contract/scorers.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { ScorerSettingsEvent } from '../../events/scorers.js';
import type { Fold } from '../../kernel/decision.js';
import { type Complaint, validationFault, valueComplaint } from '../../kernel/fault.js';
import { type EventReader, streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { RunId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { runStream } from './runs.js';
import { liveScorer } from './scorers.js';

export const scorerSettingsStream = (run: string): StreamName =>
  streamNameOf('scorer-settings', run);

/** Scorers set on a run; null: never set. */
export type ScorerSettings = readonly RunScorer[] | null;

export const scorerSettings: Fold<ScorerSettings, ScorerSettingsEvent> = {
  initial: null,
  evolve: (_before, { data }) => runScorersOf(data.scorers),
};

/** Scorers of a run; those of an experiment default to the ones it was created with. */
export const scorersOfRun = async (log: EventReader, run: RunId): Promise<readonly RunScorer[]> => {
  const { state } = await loadStreamState(log, scorerSettingsStream(run), scorerSettings);
  if (state !== null) return state;
  const [first] = await log.read(runStream(run), { limit: 1 });
  if (first?.type !== 'ExperimentCreated') return [];
  const { data } = first as unknown as Extract<ExperimentEvent, { type: 'ExperimentCreated' }>;
  return runScorersOf(data.scorers);
};

/**
 * Distinct scorers with their current names. Scorers of `before` may stay, even if deleted. Throws
 * Fault `invalid` naming those that are unknown or differ from their description.
 */
export const resolveRunScorers = async (
  log: EventReader,
  { organizationId }: Principal,
  given: ScorersInput,
  before: readonly RunScorer[] = [],
): Promise<readonly RunScorer[]> => {
  const found = await Promise.all(
    given.map(async ({ id, scoreable_node_types: kinds }): Promise<RunScorer | null> => {
      const preset = presetScorers.find((one) => one.id === id);
      const scorer = preset === undefined ? await liveScorer(log, organizationId, id) : null;
      const kept = before.find((one) => one.id === id);
      const name = preset?.name ?? scorer?.name ?? kept?.name;
      if (name === undefined) return null;
      const type = preset === undefined ? 'code' : 'preset';
      return { id, name, scorer_type: type, scoreable_node_types: kinds ?? null };
    }),
  );
  const wrong = given.flatMap((one, at) => settingComplaint(one, found[at] ?? null, at));
  if (wrong.length > 0) throw validationFault(wrong);
  const known = found.filter((one) => one !== null);
  return [...new Map(known.map((one) => [one.id, one])).values()];
};

/** Names of the code scorers without a version, which score nothing. */
export const scorersWithoutVersion = async (
  log: EventReader,
  { organizationId }: Principal,
  scorers: readonly RunScorer[],
): Promise<readonly string[]> => {
  const code = scorers.filter(({ scorer_type: type }) => type === 'code');
  const found = await Promise.all(code.map(({ id }) => liveScorer(log, organizationId, id)));
  return code.flatMap(({ name }, at) => (found[at]?.versions.length === 0 ? [name] : []));
};

const settingComplaint = (
  { id, name, scorer_type: type }: ScorersInput[number],
  found: RunScorer | null,
  at: number,
): readonly Complaint[] => {
  const complaint = (member: string, sentence: string): Complaint =>
    valueComplaint(['body', 'scorers', String(at), member], sentence);
  if (found === null) return [complaint('id', `scorer ${id} does not exist`)];
  const isRenamed = name != null && name !== found.name;
  return [
    ...(isRenamed ? [complaint('name', `the scorer is named '${found.name}'`)] : []),
    ...(type === found.scorer_type ? [] : [complaint('scorer_type', `it is ${found.scorer_type}`)]),
  ];
};
