import { expect } from 'chai';
import { eventSchemas, nounOfEvent } from '../../../events/all.js';
import { streamForm } from '../../../events/noun.js';
import { streamNameOf, type StreamName } from '../../../kernel/ports.js';
import { openEntryClassifier } from '../../../ledger/fold/entry-classifier.js';
import { historyEvent } from '../../../ledger/fold/entry-subject.js';
import { uuid } from '../../support/record-generators.js';
import { organizations, recordedAll, user, type UnplacedEvent } from './random-histories.js';

const [organization = ''] = organizations;
const [project, other, named] = [uuid(1, 1), uuid(2, 2), uuid(4, 4)];

/** Subjects that list these events, classified one after the other. */
const placed = (...list: readonly Partial<UnplacedEvent>[]) => {
  const places = openEntryClassifier(new Map());
  return recordedAll(
    list.map((one) => ({
      stream: 'trace-x' as StreamName,
      type: 'TraceLogged',
      data: {},
      organization,
      actor: user(1),
      ...one,
    })),
  ).map((event) =>
    places.classify(historyEvent(event, event.type, event.data as UnplacedEvent['data'])),
  );
};

/**
 * Event types by subject; technical events are of the organisation if the name of their stream has
 * no id of its own noun.
 */
const golden: Readonly<Record<string, readonly string[]>> = {
  annotation_template: [
    'AnnotationTemplateChanged',
    'AnnotationTemplateCreated',
    'AnnotationTemplateDeleted',
    'AnnotationTemplatesReordered',
  ],
  api_key: ['ApiKeyCreated', 'ApiKeyRevoked'],
  dataset: [
    'ColumnMappingChanged',
    'DatasetContentChanged',
    'DatasetCreated',
    'DatasetDeleted',
    'DatasetErased',
    'DatasetLinked',
    'DatasetPublished',
    'DatasetRenamed',
    'DatasetRowsErased',
    'DatasetUnlinked',
  ],
  'dataset, technical': ['DatasetRowsStored'],
  experiment: [
    'ExperimentCreated',
    'ExperimentDeleted',
    'ExperimentGroupAssigned',
    'ExperimentRenamed',
    'ExperimentTagChanged',
    'ExperimentTagged',
    'ExperimentUntagged',
  ],
  group: [
    'GroupCreated',
    'GroupDeleted',
    'GroupDetailsChanged',
    'GroupMemberAdded',
    'GroupMemberRemoved',
    'GroupMemberRoleChanged',
  ],
  integration: [
    'IntegrationConfigured',
    'IntegrationDeleted',
    'IntegrationDisabled',
    'IntegrationEnabled',
    'IntegrationResealed',
    'IntegrationSelected',
  ],
  'integration, technical': ['IntegrationSecretsSealed'],
  log_stream: [
    'InsightsSettingsChanged',
    'LogStreamCreated',
    'LogStreamDeleted',
    'LogStreamRenamed',
    'PastScoringCancelled',
    'PastScoringEnded',
    'PastScoringRequested',
    'PastScoringStarted',
    'RunScoringEnded',
    'RunScoringStarted',
    'ScorerSettingsChanged',
  ],
  'log_stream, technical': ['PastScoringAdvanced', 'RunScoringAdvanced'],
  org_job: ['OrgJobCompleted', 'OrgJobFailed', 'OrgJobRequested', 'OrgJobStarted'],
  organization: ['OrganizationCreated', 'ParkedEventSkipped', 'ParkedStreamRetried'],
  'organization, technical': [
    'EarlierErasuresNamed',
    'HistorySealWitnessed',
    'HistorySealed',
    'IdempotencyAnswerKept',
    'IdempotencyAnswered',
    'IdempotencyClaimed',
    'IdempotencyReleased',
    'IdempotencySaltDrawn',
    'InstallationNamed',
    'NameClaimed',
    'NameReleased',
    'ScorerFileValidated',
    'ScorerTaskQueued',
    'SealingKeyPublished',
  ],
  project: [
    'CollaboratorAdded',
    'CollaboratorRemoved',
    'CollaboratorRoleChanged',
    'ErasureBegun',
    'ErasureCompleted',
    'ExperimentGroupCreated',
    'ExperimentWinnerChosen',
    'ExperimentWinnerWithdrawn',
    'GroupCollaboratorAdded',
    'GroupCollaboratorRemoved',
    'GroupCollaboratorRoleChanged',
    'IntegrationLendingEnded',
    'IntegrationLent',
    'ModelAccessSet',
    'PriceListSet',
    'ProjectCreated',
    'ProjectDeleted',
    'ProjectDetailsChanged',
    'ProjectRenamed',
    'RankingCriteriaSet',
    'RecordsDeleted',
    'RecordsErased',
    'StreamsErased',
    'ViewDeleted',
    'ViewSaved',
  ],
  prompt_template: [
    'PromptTemplateCreated',
    'PromptTemplateDeleted',
    'PromptTemplateErased',
    'PromptTemplateLabelled',
    'PromptTemplateRenamed',
    'PromptTemplateUnlabelled',
    'PromptTemplateVersionAdded',
    'PromptTemplateVersionSelected',
  ],
  'prompt_template, technical': ['PromptTextStored'],
  scorer: ['ScorerCreated', 'ScorerDeleted', 'ScorerDetailsChanged', 'ScorerVersionAdded'],
  scorer_task: [
    'MetricsTestingRunCreated',
    'ScorerValidationCompleted',
    'ScorerValidationFailed',
    'ScorerValidationRequested',
    'ScorerValidationStarted',
  ],
  session: ['SessionDeleted', 'SessionStarted'],
  'session, technical': ['SessionGrew'],
  trace: [
    'OtelSpansReceived',
    'RatingGiven',
    'RatingWithdrawn',
    'ScoresRecorded',
    'SpanUpdated',
    'SpansLogged',
    'TraceDeleted',
    'TraceLogged',
    'TraceUpdated',
  ],
  user: [
    'IdentityLinked',
    'InvitationAccepted',
    'InvitationIssued',
    'PasswordChanged',
    'RefreshFamilyRevoked',
    'RefreshFamilyStarted',
    'UserCreated',
    'UserDetailsChanged',
    'UserInvited',
    'UserRemoved',
    'UserRoleChanged',
  ],
  'user, technical': ['RefreshTokenRotated'],
};

describe('the subject of a history entry', () => {
  it('is defined for every event type (golden list)', () => {
    const about = { project_id: project, template_id: named, task_id: named };
    const all = Object.keys(eventSchemas).map((type) => {
      const kind = nounOfEvent(type)?.stream;
      const noun = kind === undefined ? 'nothing' : streamForm(kind).noun;
      const one = { stream: streamNameOf(noun, project, other), type, about };
      const [found] = placed(one);
      return [
        `${found?.resource.type}${found?.technical === true ? ', technical' : ''}`,
        type,
      ] as const;
    });
    const found: Record<string, string[]> = {};
    for (const [what, type] of all) (found[what] ??= []).push(type);
    for (const types of Object.values(found)) types.sort();
    expect(found).to.deep.equal(golden);
  });

  it('takes the project from the stream name, the envelope or the first event', () => {
    const run = streamNameOf('run', other);
    const told = placed(
      { stream: streamNameOf('trace', project, other) },
      { stream: run, type: 'ExperimentCreated', about: { project_id: project } },
      { stream: streamNameOf('scorer-settings', other), type: 'ScorerSettingsChanged' },
      {
        stream: streamNameOf('api-key', other),
        type: 'ApiKeyCreated',
        data: { project_id: project },
      },
      { stream: streamNameOf('api-key', other), type: 'ApiKeyRevoked' },
      {
        stream: streamNameOf('dataset', other),
        type: 'DatasetCreated',
        data: { project_id: project },
      },
      { stream: streamNameOf('datasetrows', other, named), type: 'DatasetRowsStored' },
      { stream: streamNameOf('scorer-task', other), about: { project_id: project } },
      { stream: streamNameOf('scorer-task', other), type: 'ScorerValidationStarted' },
      { stream: streamNameOf('annotation-templates', project), about: { template_id: named } },
    );
    expect(told.map(({ projectId }) => projectId)).to.deep.equal(told.map(() => project));
    expect(told.map(({ resource }) => `${resource.type} ${resource.id}`)).to.deep.equal([
      `trace ${other}`,
      `experiment ${other}`,
      `experiment ${other}`,
      `api_key ${other}`,
      `api_key ${other}`,
      `dataset ${other}`,
      `dataset ${other}`,
      `scorer_task ${other}`,
      `scorer_task ${other}`,
      `annotation_template ${named}`,
    ]);
  });

  it('does not depend on data that can be erased', () => {
    const data = { project_id: project, organization_id: 'nobody', template_id: named };
    const told = placed(
      { stream: streamNameOf('run', other), type: 'LogStreamCreated', data },
      { stream: streamNameOf('scorer-task', other), type: 'ScorerValidationRequested', data },
      { stream: streamNameOf('annotation-templates', other), data },
    );
    expect(told.map(({ projectId }) => projectId)).to.deep.equal([null, null, other]);
    expect(told[2]?.resource).to.deep.equal({ type: 'project', id: other });
  });

  it('is the holder of a name, the steps of a job, and the user of a login', () => {
    const family = streamNameOf('refresh-family', other);
    const told = placed(
      { stream: streamNameOf('reservation', 'group', other), data: { holder: named } },
      { stream: streamNameOf('deletion', other), data: { project_id: project, job_id: named } },
      { stream: streamNameOf('deletion', other), data: { project_id: project } },
      { stream: family, type: 'RefreshFamilyStarted', data: { user_id: named } },
      { stream: family, type: 'RefreshTokenRotated' },
      {
        stream: streamNameOf('run', named),
        type: 'MetricsTestingRunCreated',
        about: { task_id: other },
      },
    );
    expect(told.map(({ resource }) => `${resource.type} ${resource.id}`)).to.deep.equal([
      `group ${named}`,
      `org_job ${named}`,
      `org_job ${named}`,
      `user ${named}`,
      `user ${named}`,
      `scorer_task ${other}`,
    ]);
  });
});
