import type { allEvents } from '../../events/all.js';

/** Resources of contract 5.14, rule 1. */
export type HistoryType =
  | 'organization'
  | 'user'
  | 'api_key'
  | 'group'
  | 'project'
  | 'log_stream'
  | 'experiment'
  | 'session'
  | 'trace'
  | 'dataset'
  | 'annotation_template'
  | 'scorer'
  | 'scorer_task'
  | 'integration'
  | 'org_job';

/** Prefixes of stream names, before the ids. */
export const streamNouns = [
  'annotation-templates',
  'api-key',
  'dataset',
  'datasetrows',
  'deletion',
  'erasure',
  'experiment-scope',
  'group',
  'idempotency',
  'insights-settings',
  'integration',
  'operations',
  'org-job',
  'organization',
  'past-scoring',
  'price-list',
  'project',
  'ranking-criteria',
  'refresh-family',
  'reservation',
  'run',
  'run-scoring',
  'scorer',
  'scorer-file',
  'scorer-queue',
  'scorer-settings',
  'scorer-task',
  'sealed-integration',
  'seals',
  'session',
  'sized-session',
  'trace',
  'user',
  'views',
] as const;
export type StreamNoun = (typeof streamNouns)[number];

/** Properties of an event that follow from its type. */
type EventKind = {
  readonly in: StreamNoun;
  /** Type of the resource, where streams of this noun hold several. */
  readonly of?: HistoryType;
  /** Technical, although its stream is not. */
  readonly technical?: true;
};

const kinds: { readonly [T in keyof typeof allEvents]: EventKind } = {
  AnnotationTemplateCreated: { in: 'annotation-templates' },
  AnnotationTemplateChanged: { in: 'annotation-templates' },
  AnnotationTemplateDeleted: { in: 'annotation-templates' },
  AnnotationTemplatesReordered: { in: 'annotation-templates' },
  ApiKeyCreated: { in: 'api-key' },
  ApiKeyRevoked: { in: 'api-key' },
  CollaboratorAdded: { in: 'project' },
  CollaboratorRoleChanged: { in: 'project' },
  CollaboratorRemoved: { in: 'project' },
  GroupCollaboratorAdded: { in: 'project' },
  GroupCollaboratorRoleChanged: { in: 'project' },
  GroupCollaboratorRemoved: { in: 'project' },
  DatasetCreated: { in: 'dataset' },
  DatasetContentChanged: { in: 'dataset' },
  DatasetRenamed: { in: 'dataset' },
  ColumnMappingChanged: { in: 'dataset' },
  DatasetPublished: { in: 'dataset' },
  DatasetLinked: { in: 'dataset' },
  DatasetUnlinked: { in: 'dataset' },
  DatasetDeleted: { in: 'dataset' },
  DatasetRowsErased: { in: 'dataset' },
  DatasetErased: { in: 'dataset' },
  DatasetRowsStored: { in: 'datasetrows' },
  RecordsDeleted: { in: 'deletion' },
  RecordsErased: { in: 'deletion' },
  ErasureBegun: { in: 'erasure' },
  StreamsErased: { in: 'erasure' },
  EarlierErasuresNamed: { in: 'seals' },
  ErasureCompleted: { in: 'erasure' },
  ExperimentCreated: { in: 'run', of: 'experiment' },
  ExperimentRenamed: { in: 'run', of: 'experiment' },
  ExperimentGroupAssigned: { in: 'run', of: 'experiment' },
  ExperimentDeleted: { in: 'run', of: 'experiment' },
  ExperimentTagged: { in: 'run', of: 'experiment' },
  ExperimentTagChanged: { in: 'run', of: 'experiment' },
  ExperimentUntagged: { in: 'run', of: 'experiment' },
  ExperimentGroupCreated: { in: 'experiment-scope' },
  ExperimentWinnerChosen: { in: 'experiment-scope' },
  ExperimentWinnerWithdrawn: { in: 'experiment-scope' },
  RankingCriteriaSet: { in: 'ranking-criteria' },
  GroupCreated: { in: 'group' },
  GroupDetailsChanged: { in: 'group' },
  GroupDeleted: { in: 'group' },
  GroupMemberAdded: { in: 'group' },
  GroupMemberRoleChanged: { in: 'group' },
  GroupMemberRemoved: { in: 'group' },
  IdempotencyClaimed: { in: 'idempotency' },
  IdempotencyAnswered: { in: 'idempotency' },
  IdempotencyReleased: { in: 'idempotency' },
  IdempotencyAnswerKept: { in: 'idempotency' },
  IdempotencySaltDrawn: { in: 'idempotency' },
  InsightsSettingsChanged: { in: 'insights-settings' },
  IntegrationConfigured: { in: 'integration' },
  IntegrationResealed: { in: 'integration' },
  IntegrationSelected: { in: 'integration' },
  IntegrationDisabled: { in: 'integration' },
  IntegrationEnabled: { in: 'integration' },
  IntegrationDeleted: { in: 'integration' },
  IntegrationSecretsSealed: { in: 'sealed-integration' },
  UserInvited: { in: 'user' },
  InvitationIssued: { in: 'user' },
  InvitationAccepted: { in: 'user' },
  LogStreamCreated: { in: 'run', of: 'log_stream' },
  LogStreamRenamed: { in: 'run', of: 'log_stream' },
  LogStreamDeleted: { in: 'run', of: 'log_stream' },
  ParkedEventSkipped: { in: 'operations' },
  ParkedStreamRetried: { in: 'operations' },
  OrgJobRequested: { in: 'org-job' },
  OrgJobStarted: { in: 'org-job' },
  OrgJobCompleted: { in: 'org-job' },
  OrgJobFailed: { in: 'org-job' },
  OrganizationCreated: { in: 'organization' },
  PriceListSet: { in: 'price-list' },
  ProjectCreated: { in: 'project' },
  ProjectRenamed: { in: 'project' },
  ProjectDetailsChanged: { in: 'project' },
  ProjectDeleted: { in: 'project' },
  RatingGiven: { in: 'trace' },
  RatingWithdrawn: { in: 'trace' },
  RefreshFamilyStarted: { in: 'refresh-family' },
  RefreshTokenRotated: { in: 'refresh-family', technical: true },
  RefreshFamilyRevoked: { in: 'refresh-family' },
  NameClaimed: { in: 'reservation' },
  NameReleased: { in: 'reservation' },
  HistorySealed: { in: 'seals' },
  HistorySealWitnessed: { in: 'seals' },
  SealingKeyPublished: { in: 'seals' },
  InstallationNamed: { in: 'seals' },
  PastScoringRequested: { in: 'past-scoring' },
  PastScoringStarted: { in: 'past-scoring' },
  PastScoringAdvanced: { in: 'past-scoring', technical: true },
  PastScoringEnded: { in: 'past-scoring' },
  PastScoringCancelled: { in: 'past-scoring' },
  RunScoringStarted: { in: 'run-scoring' },
  RunScoringAdvanced: { in: 'run-scoring', technical: true },
  RunScoringEnded: { in: 'run-scoring' },
  ScorerValidationRequested: { in: 'scorer-task' },
  ScorerValidationStarted: { in: 'scorer-task' },
  ScorerValidationCompleted: { in: 'scorer-task' },
  ScorerValidationFailed: { in: 'scorer-task' },
  MetricsTestingRunCreated: { in: 'run', of: 'scorer_task' },
  ScorerTaskQueued: { in: 'scorer-queue' },
  ScorerFileValidated: { in: 'scorer-file' },
  ScorerCreated: { in: 'scorer' },
  ScorerDetailsChanged: { in: 'scorer' },
  ScorerVersionAdded: { in: 'scorer' },
  ScorerDeleted: { in: 'scorer' },
  ScorerSettingsChanged: { in: 'scorer-settings' },
  TraceLogged: { in: 'trace' },
  OtelSpansReceived: { in: 'trace' },
  SpansLogged: { in: 'trace' },
  TraceUpdated: { in: 'trace' },
  SpanUpdated: { in: 'trace' },
  ScoresRecorded: { in: 'trace' },
  TraceDeleted: { in: 'trace' },
  SessionStarted: { in: 'session' },
  SessionDeleted: { in: 'session' },
  SessionGrew: { in: 'sized-session' },
  UserCreated: { in: 'user' },
  UserDetailsChanged: { in: 'user' },
  UserRoleChanged: { in: 'user' },
  UserRemoved: { in: 'user' },
  PasswordChanged: { in: 'user' },
  IdentityLinked: { in: 'user' },
  ViewSaved: { in: 'views' },
  ViewDeleted: { in: 'views' },
};
const byType = new Map<string, EventKind>(Object.entries(kinds));

/** Null for a type that this version does not know. */
export const kindOfEvent = (type: string): EventKind | null => byType.get(type) ?? null;
