import { validationName } from '../../contract/jobs.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import {
  addScorerVersion,
  changeScorer,
  createScorer,
  deleteScorer,
  ownsScorer,
  presetScorers,
  scorerAnswer,
  type ScorerDetailsInput,
} from '../../contract/scorers.js';
import { shownScorer, shownVersion } from '../../contract/scorer-facts.js';
import type { VisibilityRules } from '../../contract/request-ports.js';
import { registryMetricByName } from '../../kernel/records/columns.js';
import { type Complaint, Fault, valueComplaint, valueFault } from '../../kernel/fault.js';
import type { EventLog, EventReader, Ids, StreamName } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { liveScorer, scorerNames, scorers, type Scorer, scorerStream } from '../facts/scorers.js';
import { checkRequiredScorers } from '../facts/required-scorers.js';
import { scorerFileOf } from '../facts/scorer-files.js';
import { sha256HexOf, fileComplaints, sourceOf } from '../facts/scorer-source.js';
import { addVersion, change, create, detailsWith, isRepeat, noDetails, remove } from './scorers.js';

type ScorerNeeds = {
  readonly log: EventLog;
  readonly ids: Pick<Ids, 'derive'>;
};

/** Write routes of the scorer registry (contract 5.10). */
export const scorerWrites = (needs: ScorerNeeds): readonly Route[] => [
  createScorerRoute(needs),
  changeScorerRoute(needs),
  addVersionRoute(needs),
  deleteScorerRoute(needs),
];

const createScorerRoute = ({ log, ids }: ScorerNeeds): Route =>
  writeRoute(
    createScorer,
    async ({ body, principal, cause, mint }) => {
      const organizationId = principal.organizationId;
      await checkRequiredScorers({ log, ids }, organizationId, {
        names: body.required_scorers,
        isUsable: ({ name }) => name !== body.name,
      });
      const id = body.id ?? mint('ScorerId');
      const details = detailsWith(noDetails(body.name), body);
      const creation = {
        scorer_id: id,
        organization_id: organizationId,
        name: body.name,
        details,
        created_by: principal.userId,
      };
      const known = await loadStreamState(log, scorerStream(id), scorers);
      if (known.state !== null && !isRepeat(known.state, creation)) {
        throw new Fault('already-exists', 'A scorer of this id exists already');
      }
      const decide = create({ ...creation, created_at: cause.at });
      const made = await scorerNames.transact({ log, ids }, id, scorers, decide, cause);
      const updatedAt =
        made.events.length > 0 ? cause.at : await lastChangeAt(log, scorerStream(id));
      return { position: made.position, body: scorerAnswerOf(made.state, updatedAt, principal) };
    },
    ({ body }) => [...nameComplaints(body.name), ...detailComplaints(body)],
  );

/** Names used by columns and records (contract 3.4, 4.11, 4.12). */
const reservedNames = [
  ...presetScorers.map(({ name }) => name),
  validationName,
  'generated_scorer_validation',
];
const reservedSuffixes = ['_ems_error_code', '_error_message'];

/** Complaints about names with another meaning. */
const nameComplaints = (name: string): readonly Complaint[] => {
  const isBuiltIn = registryMetricByName.has(name) || reservedNames.includes(name);
  const end = reservedSuffixes.find((one) => name.endsWith(one));
  if (!isBuiltIn && end === undefined) return [];
  const why = isBuiltIn
    ? `'${name}' is the name of a built-in metric`
    : `a name must not end in '${end}'`;
  return [valueComplaint(['body', 'name'], why)];
};

const refusePreset = (id: string): void => {
  if (presetScorers.some((one) => one.id === id)) {
    throw new Fault('forbidden', 'Presets cannot be changed');
  }
};

const detailComplaints = ({ threshold }: ScorerDetailsInput): readonly Complaint[] =>
  threshold == null || threshold.display_value_levels.length === threshold.buckets.length + 1
    ? []
    : [
        valueComplaint(
          ['body', 'threshold'],
          'display_value_levels must have one item more than buckets',
        ),
      ];

const changeScorerRoute = ({ log, ids }: ScorerNeeds): Route =>
  writeRoute(
    changeScorer,
    async ({ body, params, principal, cause }) => {
      refusePreset(params.scorer_id);
      const stream = scorerStream(params.scorer_id);
      const { state: before } = await loadStreamState(log, stream, scorers);
      await checkRequiredScorers({ log, ids }, principal.organizationId, {
        names: body.required_scorers,
        before: before?.details.required_scorers ?? [],
        isUsable: ({ id }) => id !== params.scorer_id,
      });
      const changed = await transact(log, stream, scorers, change(body), cause);
      const { state, position } = changed;
      const updatedAt = changed.events.length > 0 ? cause.at : await lastChangeAt(log, stream);
      return { position, body: scorerAnswerOf(state, updatedAt, principal) };
    },
    ({ body }) => detailComplaints(body),
  );

const lastChangeAt = async (log: EventReader, stream: StreamName): Promise<Instant> => {
  const last = (await log.read(stream)).at(-1);
  if (last === undefined) throw new Fault('not-found', 'Scorer not found');
  return last.metadata.at;
};

const addVersionRoute = ({ log, ids }: ScorerNeeds): Route =>
  writeRoute(
    addScorerVersion,
    async ({ body, files, params, principal, cause, mint }) => {
      refusePreset(params.scorer_id);
      const { file } = files;
      const source = file === undefined ? null : sourceOf(file);
      // Checked by the route's complaints.
      if (file === undefined || source === null)
        throw new Fault('malformed', 'The form has no part named file');
      if (body.validation_result.result['result_type'] !== 'valid') {
        throw valueFault(['body', 'validation_result'], 'the result must be of type valid');
      }
      const sha256 = await sha256HexOf(file.bytes);
      const found = await scorerFileOf({ log, ids }, principal.organizationId, sha256);
      if (found === null) {
        throw valueFault(['body', 'validation_result'], 'this file has no valid validation');
      }
      const id = params.scorer_id;
      const versionId = mint('ScorerVersionId');
      const decide = addVersion({
        scorer_id: id,
        version_id: versionId,
        source,
        sha256,
        score_type: found.score_type,
        scoreable_node_types: found.scoreable_node_types,
        chain_aggregation: found.chain_aggregation,
        created_by: principal.userId,
        created_at: cause.at,
      });
      const stream = scorerStream(id);
      const { state, position } = await transact(log, stream, scorers, decide, cause);
      const added = state?.versions.find((one) => one.version_id === versionId);
      if (added === undefined) throw new Fault('not-found', 'Scorer not found');
      return { position, body: shownVersion(added) };
    },
    ({ files }) => fileComplaints(files['file']),
  );

const deleteScorerRoute = ({ log, ids }: ScorerNeeds): Route =>
  writeRoute(deleteScorer, async ({ params: { scorer_id: id }, cause }) => {
    refusePreset(id);
    const { state, position } = await scorerNames.transact(
      { log, ids },
      id,
      scorers,
      remove,
      cause,
    );
    if (state === null) throw new Fault('not-found', 'Scorer not found');
    return { position, body: { message: 'The scorer is deleted.' } };
  });

const scorerAnswerOf = (scorer: Scorer | null, updatedAt: Instant, principal: Principal) => {
  if (scorer === null) throw new Fault('not-found', 'Scorer not found');
  const { id, organizationId, name, details, versions, createdBy, createdAt } = scorer;
  const facts = shownScorer({
    created: {
      scorer_id: id,
      organization_id: organizationId,
      name,
      details,
      created_by: createdBy,
      created_at: createdAt,
    },
    latest: versions.at(-1) ?? null,
    updatedAt,
  });
  return scorerAnswer(facts, principal);
};

/**
 * Visibility rule: a scorer may be changed by its creator and admins; presets are visible to
 * everyone and immutable.
 */
export const scorerVisibilityRules = (log: EventReader): VisibilityRules => ({
  'scorer-owner': async (principal, id) => {
    // The routes refuse presets with a reason.
    if (presetScorers.some((one) => one.id === id)) return 'allowed';
    const scorer = await liveScorer(log, principal.organizationId, id);
    if (scorer === null) return 'unseen';
    return ownsScorer(principal, scorer.createdBy) ? 'allowed' : 'forbidden';
  },
});
