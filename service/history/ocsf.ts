import type { allEvents } from '../../events/all.js';
import type { ChainEntry } from '../../kernel/history/entries.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { ChangedEntry } from './cloud-events.js';

/** OCSF 1.7 class and activity, all in the category Identity & Access. */
type OcsfActivity = {
  readonly class: 3001 | 3002 | 3004 | 3005 | 3006;
  readonly activity: number;
};
const otherActivity = 99;

const account = {
  create: { class: 3001, activity: 1 },
  enable: { class: 3001, activity: 2 },
  password: { class: 3001, activity: 3 },
  passwordReset: { class: 3001, activity: 4 },
  delete: { class: 3001, activity: 6 },
  other: { class: 3001, activity: otherActivity },
} as const;
const login = {
  on: { class: 3002, activity: 1 },
  off: { class: 3002, activity: 2 },
  other: { class: 3002, activity: otherActivity },
} as const;
const access = {
  assign: { class: 3005, activity: 1 },
  revoke: { class: 3005, activity: 2 },
} as const;
const group = {
  add: { class: 3006, activity: 3 },
  remove: { class: 3006, activity: 4 },
  delete: { class: 3006, activity: 5 },
  create: { class: 3006, activity: 6 },
  other: { class: 3006, activity: otherActivity },
} as const;
const entity = {
  create: { class: 3004, activity: 1 },
  update: { class: 3004, activity: 3 },
  delete: { class: 3004, activity: 4 },
  enable: { class: 3004, activity: 8 },
  disable: { class: 3004, activity: 9 },
} as const;

/** Activity of each event type; the compiler requires new types. */
const activities: { readonly [T in keyof typeof allEvents]: OcsfActivity } = {
  ViewSaved: entity.update,
  ViewDeleted: entity.delete,
  AnnotationTemplateCreated: entity.create,
  AnnotationTemplateChanged: entity.update,
  AnnotationTemplateDeleted: entity.delete,
  AnnotationTemplatesReordered: entity.update,
  ApiKeyCreated: account.create,
  ApiKeyRevoked: account.delete,
  CollaboratorAdded: access.assign,
  CollaboratorRoleChanged: access.assign,
  CollaboratorRemoved: access.revoke,
  GroupCollaboratorAdded: access.assign,
  GroupCollaboratorRoleChanged: access.assign,
  GroupCollaboratorRemoved: access.revoke,
  DatasetCreated: entity.create,
  DatasetContentChanged: entity.update,
  DatasetRenamed: entity.update,
  ColumnMappingChanged: entity.update,
  DatasetPublished: entity.create,
  DatasetLinked: entity.update,
  DatasetUnlinked: entity.update,
  DatasetDeleted: entity.delete,
  DatasetRowsErased: entity.delete,
  DatasetErased: entity.delete,
  DatasetRowsStored: entity.create,
  RecordsDeleted: entity.delete,
  RecordsErased: entity.delete,
  ErasureBegun: entity.update,
  StreamsErased: entity.delete,
  EarlierErasuresNamed: entity.update,
  ErasureCompleted: entity.update,
  ExperimentCreated: entity.create,
  ExperimentRenamed: entity.update,
  ExperimentGroupAssigned: entity.update,
  ExperimentDeleted: entity.delete,
  ExperimentTagged: entity.update,
  ExperimentTagChanged: entity.update,
  ExperimentUntagged: entity.update,
  ExperimentGroupCreated: entity.create,
  ExperimentWinnerChosen: entity.update,
  ExperimentWinnerWithdrawn: entity.delete,
  PriceListSet: entity.update,
  RankingCriteriaSet: entity.update,
  GroupCreated: group.create,
  GroupDetailsChanged: group.other,
  GroupDeleted: group.delete,
  GroupMemberAdded: group.add,
  GroupMemberRoleChanged: group.other,
  GroupMemberRemoved: group.remove,
  HistorySealed: entity.create,
  HistorySealWitnessed: entity.update,
  InstallationNamed: entity.create,
  SealingKeyPublished: entity.create,
  IdempotencyClaimed: entity.create,
  IdempotencyAnswered: entity.update,
  IdempotencyReleased: entity.delete,
  IdempotencyAnswerKept: entity.create,
  IdempotencySaltDrawn: entity.create,
  InsightsSettingsChanged: entity.update,
  IntegrationConfigured: entity.update,
  IntegrationResealed: entity.update,
  IntegrationSelected: entity.update,
  IntegrationDisabled: entity.disable,
  IntegrationEnabled: entity.enable,
  IntegrationDeleted: entity.delete,
  IntegrationSecretsSealed: entity.create,
  UserInvited: account.create,
  InvitationIssued: account.passwordReset,
  InvitationAccepted: account.enable,
  LogStreamCreated: entity.create,
  LogStreamRenamed: entity.update,
  LogStreamDeleted: entity.delete,
  OrgJobRequested: entity.create,
  OrgJobStarted: entity.create,
  OrgJobCompleted: entity.update,
  OrgJobFailed: entity.update,
  OrganizationCreated: entity.create,
  ParkedEventSkipped: entity.update,
  ParkedStreamRetried: entity.update,
  PastScoringRequested: entity.create,
  PastScoringStarted: entity.update,
  PastScoringAdvanced: entity.update,
  PastScoringEnded: entity.update,
  PastScoringCancelled: entity.update,
  ProjectCreated: entity.create,
  ProjectRenamed: entity.update,
  ProjectDetailsChanged: entity.update,
  ProjectDeleted: entity.delete,
  RatingGiven: entity.create,
  RatingWithdrawn: entity.delete,
  RefreshFamilyStarted: login.on,
  RefreshTokenRotated: login.other,
  RefreshFamilyRevoked: login.off,
  NameClaimed: entity.create,
  NameReleased: entity.delete,
  RunScoringStarted: entity.create,
  RunScoringAdvanced: entity.update,
  RunScoringEnded: entity.update,
  ScorerValidationRequested: entity.create,
  ScorerValidationStarted: entity.create,
  ScorerValidationCompleted: entity.update,
  ScorerValidationFailed: entity.update,
  MetricsTestingRunCreated: entity.create,
  ScorerTaskQueued: entity.create,
  ScorerFileValidated: entity.update,
  ScorerCreated: entity.create,
  ScorerDetailsChanged: entity.update,
  ScorerVersionAdded: entity.update,
  ScorerDeleted: entity.delete,
  ScorerSettingsChanged: entity.update,
  TraceLogged: entity.create,
  OtelSpansReceived: entity.create,
  SpansLogged: entity.create,
  TraceUpdated: entity.update,
  SpanUpdated: entity.update,
  ScoresRecorded: entity.update,
  TraceDeleted: entity.delete,
  SessionStarted: entity.create,
  SessionDeleted: entity.delete,
  SessionGrew: entity.update,
  UserCreated: account.create,
  UserDetailsChanged: account.other,
  UserRoleChanged: account.other,
  UserRemoved: account.delete,
  PasswordChanged: account.password,
  IdentityLinked: account.other,
};

/** Activity of event types that this build does not know. */
const unknownActivity: OcsfActivity = { class: 3004, activity: otherActivity };
const activityOf = (type: string): OcsfActivity =>
  Object.hasOwn(activities, type) ? activities[type as keyof typeof activities] : unknownActivity;

const category = 3;
const informational = 1;
const userTypes: Readonly<Record<string, number>> = { user: 1, api_key: otherActivity, system: 3 };

/** OCSF 1.7 form of an entry, for audit logs. */
export const ocsfEvent = ({ entry, changes }: ChangedEntry, origin: string): JsonObject => {
  const { class: classUid, activity } = activityOf(entry.type);
  const { actor, resource } = entry;
  return {
    category_uid: category,
    class_uid: classUid,
    activity_id: activity,
    type_uid: classUid * 100 + activity,
    severity_id: informational,
    time: Date.parse(entry.at),
    metadata: {
      version: '1.7.0',
      uid: entry.eventId,
      sequence: entry.seq,
      original_time: entry.at,
      event_code: entry.type,
      log_name: origin,
      ...(entry.correlationId !== null && { correlation_uid: entry.correlationId }),
      product: { name: 'Assay', vendor_name: 'Assay', version: '0.1.0' },
    },
    actor: {
      user: {
        uid: actor.id,
        type_id: userTypes[actor.type] ?? 0,
        type: actor.type,
        ...(changes.email !== null && { email_addr: changes.email }),
      },
    },
    ...targetObjectOf(classUid, entry),
    unmapped: {
      assay: {
        hash: entry.hash,
        prev_hash: entry.prevHash,
        data_digest: entry.dataDigest,
        stream: entry.stream,
        revision: entry.revision,
        role: actor.role,
        resource: { ...resource },
        project_id: entry.projectId,
        before: changes.before,
        after: changes.after,
        erased: changes.erased,
      },
    },
  };
};

/** Target object as the class requires it. */
const targetObjectOf = (
  classUid: OcsfActivity['class'],
  { resource, type }: ChainEntry,
): JsonObject => {
  const named = { uid: resource.id, type: resource.type };
  switch (classUid) {
    case 3001:
    case 3002:
      return { user: named };
    case 3005:
      return { user: { uid: 'unknown' }, privileges: [type], resource: named };
    case 3006:
      return { group: named };
    case 3004:
      return { entity: named };
  }
};
