import type { ExperimentFacts } from '../../contract/experiment-record.js';
import type { LogStreamFacts } from '../../contract/log-streams.js';
import type { ScorerTaskFacts } from '../../contract/scorer-validation.js';
import type { ViewFacts } from '../../contract/views.js';
import { streamKinds } from '../../events/all.js';
import type { OrganizationEvent } from '../../events/organizations.js';
import type { HistoryResourceType } from '../../kernel/history-resources.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { annotationTemplateList } from '../annotation-template-list.js';
import { apiKeyList } from '../api-key-list.js';
import { datasetList } from '../dataset-list.js';
import type { AnyProjection } from '../documents-model.js';
import { experimentList } from '../experiment-list.js';
import { groupList } from '../group-list.js';
import { insightsSettings } from '../insights-settings.js';
import { integrationList } from '../integration-list.js';
import { logStreamList } from '../log-stream-list.js';
import { orgJobList } from '../org-job-list.js';
import { projections } from '../projection-registry.js';
import { projectList, type ListedCollaborator } from '../project-list.js';
import { promptTemplateList } from '../prompt-template-list.js';
import { runScoringList } from '../run-scoring-list.js';
import { scorerFacts, scorerList } from '../scorer-list.js';
import { scorerSettings } from '../scorer-settings.js';
import { scorerTaskList } from '../scorer-task-list.js';
import { userList } from '../user-list.js';
import { viewList } from '../view-list.js';
import { countRecords, sessionState, traceState } from './records.js';
import {
  maskedSecret,
  maskedText,
  metricStateValues,
  withMaskedTexts,
  type StateValue,
  type StateMembers,
} from './masked-state.js';
import {
  documentState,
  type DocumentProjection,
  type FoldedDocuments,
  type StateFold,
  type StateDefinition,
} from './state.js';

type Show = (found: FoldedDocuments, id: string) => object | null;

/** State definition of a resource with documents of its own, by its id. */
const documentDefinition = (
  noun: string | readonly string[],
  projections: readonly AnyProjection[],
  show: Show,
): StateDefinition => ({
  streams: ({ id }) => [noun].flat().map((one) => streamNameOf(one, id)),
  open: ({ id }) => documentState(projections, (found) => asMembers(show(found, id)), id),
});

/** Nouns of the streams that are named after a project or run alone, and are about it. */
const nounsNamedAfter = (container: 'project' | 'run'): readonly string[] =>
  streamKinds
    .filter(({ ids: [first, second] }) => first?.includes(container) && second === undefined)
    .flatMap(({ noun, isTechnical }) => (isTechnical === true ? [] : [noun]));

/** Read model bodies are JSON. */
const asMembers = (shown: object | null): StateMembers | null => shown as StateMembers | null;

const projectStreams = (
  noun: string,
  id: string,
  projectId: string | null,
): readonly StreamName[] => (projectId === null ? [] : [streamNameOf(noun, projectId, id)]);

const runDefinition = (
  projection: AnyProjection & DocumentProjection<LogStreamFacts | ExperimentFacts>,
): StateDefinition =>
  documentDefinition(
    nounsNamedAfter('run'),
    [projection, insightsSettings, scorerSettings, runScoringList],
    ({ of }) => {
      const facts = of(projection)?.body ?? null;
      if (facts === null) return null;
      const insights = of(insightsSettings)?.body ?? null;
      const scoring = of(runScoringList)?.body ?? null;
      return {
        ...facts,
        insights: insights && { enabled: insights.enabled, start_time: insights.startTime },
        scorers: of(scorerSettings)?.body.scorers ?? [],
        scoring,
      };
    },
  );

/**
 * Collaborators by user or group, so that a changed role is one changed member and not a new list.
 */
const byCollaborator = (collaborators: readonly ListedCollaborator[]): StateMembers =>
  Object.fromEntries(collaborators.map(({ who, ...one }) => [who, one]));

/** Saved views by id; filters in them may quote what records contain. */
const viewStates = (views: ReadonlyMap<string, { readonly body: ViewFacts }>): StateMembers =>
  Object.fromEntries(
    [...views].map(([id, { body }]) => {
      const { id: _, version: _saves, ...facts } = body;
      return [id, withMaskedTexts(facts, ['state'])];
    }),
  );

/** Read models that each give a member of a project's state. */
const projectMembers = projections.flatMap((projection) =>
  projection.projectState === undefined ? [] : [{ projection, ...projection.projectState }],
);

const project = documentDefinition(
  nounsNamedAfter('project'),
  [projectList, viewList, ...projectMembers.map(({ projection }) => projection)],
  ({ of, all }) => {
    const found = of(projectList)?.body ?? null;
    if (found === null) return null;
    const members = projectMembers.map(({ projection, member, show }) => [
      member,
      show((of(projection)?.body ?? null) as never),
    ]);
    return {
      ...found.facts,
      users: byCollaborator(found.users),
      groups: byCollaborator(found.groups),
      ...(Object.fromEntries(members) as object),
      views: viewStates(all(viewList)),
    };
  },
);

const group = documentDefinition('group', [groupList], ({ of }) => {
  const found = of(groupList)?.body ?? null;
  if (found === null) return null;
  const roles = found.members.map(({ user_id, ...one }) => [user_id, one]);
  return { ...found.facts, members: Object.fromEntries(roles) as object };
});

const apiKey = documentDefinition('api-key', [apiKeyList], ({ of }) => {
  const found = of(apiKeyList);
  if (found === null) return null;
  const { body, fields } = found;
  const { revoked = null } = fields;
  return { ...body.shown, parent_id: body.ancestors[0] ?? null, revoked };
});

/** State of one template: one document holds all templates of the project. */
const template: StateDefinition = {
  streams: ({ projectId }) =>
    projectId === null ? [] : [streamNameOf('annotation-templates', projectId)],
  open: ({ id, projectId }) =>
    documentState(
      [annotationTemplateList],
      ({ of }) => {
        const { templates = [] } = of(annotationTemplateList)?.body ?? {};
        const position = templates.findIndex((one) => one.id === id);
        const found = templates[position];
        return found === undefined ? null : asMembers({ ...found, position });
      },
      projectId ?? '',
    ),
};

/**
 * State of an integration. One stream may hold several, one after the other; the stream of its
 * ciphertext has no state.
 */
const integration: StateDefinition = {
  streams: ({ stream: known }) => (known?.startsWith('integration-') === true ? [known] : []),
  open: ({ id }) =>
    documentState(
      [integrationList],
      ({ all }) => {
        const found = [...all(integrationList).values()];
        return asMembers(found.find(({ body }) => body.facts.id === id)?.body.facts ?? null);
      },
      id,
    ),
};

/**
 * State of a scorer task: the scorer's outputs and the row content quoted in its errors are masked
 * as texts.
 */
const taskMembers = ({ result, ...facts }: ScorerTaskFacts): StateMembers => ({
  ...withMaskedTexts(facts, ['error_message']),
  result: result && {
    ...withMaskedTexts(result, ['error_message']),
    ...(result['test_scores'] !== undefined && { test_scores: scoreValues(result['test_scores']) }),
    ...(result['aggregates'] !== undefined && {
      aggregates: metricStateValues(result['aggregates']),
    }),
  },
});

/** Score lists are shown whole: one with a text by its digest. */
const scoreValues = (scores: Json): StateValue => {
  const isText = ({ score }: JsonObject): boolean => typeof score === 'string';
  return (scores as readonly JsonObject[]).some(isText) ? maskedText(scores) : scores;
};

const orgJob = documentDefinition('org-job', [orgJobList], ({ of }) => {
  const facts = of(orgJobList)?.body.facts ?? null;
  return facts && { ...facts, value_sealed: maskedSecret(facts.value_sealed) };
});

/** State of an organisation, which follows from its first event alone and is in no list. */
const organization: StateDefinition = {
  streams: ({ id }) => [streamNameOf('organization', id)],
  open: (): StateFold => {
    let shown: StateMembers | null = null;
    return {
      fold: (events) => {
        for (const { type, data } of events as unknown as readonly OrganizationEvent[]) {
          if (type !== 'OrganizationCreated') continue;
          shown = { id: data.organization_id, name: data.name, created_at: data.created_at };
        }
      },
      snapshot: () => shown,
    };
  },
};

/** State definitions by resource type. */
export const stateDefinitions: Readonly<Record<HistoryResourceType, StateDefinition>> = {
  organization,
  user: documentDefinition('user', [userList], ({ of }) => of(userList)?.body ?? null),
  api_key: apiKey,
  group,
  project,
  log_stream: runDefinition(logStreamList),
  experiment: runDefinition(experimentList),
  session: {
    streams: ({ id, projectId }) => projectStreams('session', id, projectId),
    open: sessionState,
  },
  trace: {
    streams: ({ id, projectId }) => projectStreams('trace', id, projectId),
    open: traceState,
    weightOf: countRecords,
  },
  // Without its rows: dataset-rows.ts gives those that a version changed.
  dataset: documentDefinition('dataset', [datasetList], ({ of }) => {
    const found = of(datasetList);
    if (found === null) return null;
    const { revision: _, ...facts } = found.body.facts;
    return facts;
  }),
  annotation_template: template,
  prompt_template: documentDefinition('prompt-template', [promptTemplateList], ({ of }) => {
    const found = of(promptTemplateList);
    if (found === null) return null;
    const { revision: _, ...facts } = found.body;
    return facts;
  }),
  scorer: documentDefinition('scorer', [scorerList], ({ of }) => {
    const row = of(scorerList)?.body ?? null;
    return row && scorerFacts(row);
  }),
  scorer_task: documentDefinition('scorer-task', [scorerTaskList], ({ of }) => {
    const facts = of(scorerTaskList)?.body ?? null;
    return facts && taskMembers(facts);
  }),
  integration,
  org_job: orgJob,
};
