import type { TSchema } from 'typebox';
import {
  annotationTemplateChanged,
  annotationTemplateCreated,
  annotationTemplateDeleted,
  annotationTemplatesReordered,
} from './annotation-templates.js';
import { apiKeyCreated, apiKeyRevoked } from './api-keys.js';
import {
  columnMappingChanged,
  datasetContentChanged,
  datasetCreated,
  datasetDeleted,
  datasetErased,
  datasetLinked,
  datasetPublished,
  datasetRenamed,
  datasetRowsErased,
  datasetRowsStored,
  datasetUnlinked,
} from './datasets.js';
import { recordsDeleted, recordsErased } from './deletions.js';
import { orgJobCompleted, orgJobFailed, orgJobRequested, orgJobStarted } from './org-jobs.js';
import { erasureCompleted } from './erasures.js';
import {
  experimentCreated,
  experimentDeleted,
  experimentGroupAssigned,
  experimentGroupCreated,
  experimentRenamed,
  experimentTagChanged,
  experimentTagged,
  experimentUntagged,
  experimentWinnerChosen,
  experimentWinnerWithdrawn,
  rankingCriteriaSet,
} from './experiments.js';
import { idempotencyAnswered, idempotencyClaimed, idempotencyReleased } from './idempotency.js';
import {
  integrationConfigured,
  integrationDeleted,
  integrationDisabled,
  integrationEnabled,
  integrationResealed,
  integrationSecretsSealed,
  integrationSelected,
} from './integrations.js';
import { insightsSettingsChanged } from './insights-settings.js';
import { logStreamCreated, logStreamDeleted, logStreamRenamed } from './log-streams.js';
import { organizationCreated } from './organizations.js';
import {
  projectCreated,
  projectDeleted,
  projectDetailsChanged,
  projectRenamed,
} from './projects.js';
import { ratingGiven, ratingWithdrawn } from './ratings.js';
import { nameClaimed, nameReleased } from './reservations.js';
import {
  scoresRecorded,
  sessionDeleted,
  sessionStarted,
  spansLogged,
  spanUpdated,
  traceDeleted,
  traceLogged,
  traceUpdated,
} from './traces.js';
import { invitationAccepted, userInvited } from './invitations.js';
import {
  collaboratorAdded,
  collaboratorRemoved,
  collaboratorRoleChanged,
  groupCollaboratorAdded,
  groupCollaboratorRemoved,
  groupCollaboratorRoleChanged,
} from './collaborators.js';
import {
  groupCreated,
  groupDeleted,
  groupDetailsChanged,
  groupMemberAdded,
  groupMemberRemoved,
  groupMemberRoleChanged,
} from './groups.js';
import {
  refreshFamilyRevoked,
  refreshFamilyStarted,
  refreshTokenRotated,
} from './refresh-families.js';
import {
  identityLinked,
  passwordChanged,
  userCreated,
  userDetailsChanged,
  userRemoved,
  userRoleChanged,
} from './users.js';

/**
 * Every event type that was ever stored, with the schema of its newest version. A list, no
 * discovery.
 */
export const eventSchemas: Readonly<Record<string, { version: number; schema: TSchema }>> = {
  OrganizationCreated: { version: 1, schema: organizationCreated },
  UserCreated: { version: 1, schema: userCreated },
  UserInvited: { version: 1, schema: userInvited },
  InvitationAccepted: { version: 1, schema: invitationAccepted },
  UserDetailsChanged: { version: 1, schema: userDetailsChanged },
  UserRoleChanged: { version: 1, schema: userRoleChanged },
  UserRemoved: { version: 1, schema: userRemoved },
  PasswordChanged: { version: 1, schema: passwordChanged },
  IdentityLinked: { version: 1, schema: identityLinked },
  RefreshFamilyStarted: { version: 1, schema: refreshFamilyStarted },
  RefreshTokenRotated: { version: 1, schema: refreshTokenRotated },
  RefreshFamilyRevoked: { version: 1, schema: refreshFamilyRevoked },
  GroupCreated: { version: 1, schema: groupCreated },
  GroupDetailsChanged: { version: 1, schema: groupDetailsChanged },
  GroupDeleted: { version: 1, schema: groupDeleted },
  GroupMemberAdded: { version: 1, schema: groupMemberAdded },
  GroupMemberRoleChanged: { version: 1, schema: groupMemberRoleChanged },
  GroupMemberRemoved: { version: 1, schema: groupMemberRemoved },
  ApiKeyCreated: { version: 1, schema: apiKeyCreated },
  ApiKeyRevoked: { version: 1, schema: apiKeyRevoked },
  NameClaimed: { version: 1, schema: nameClaimed },
  NameReleased: { version: 1, schema: nameReleased },
  ProjectCreated: { version: 1, schema: projectCreated },
  ProjectRenamed: { version: 1, schema: projectRenamed },
  ProjectDetailsChanged: { version: 1, schema: projectDetailsChanged },
  ProjectDeleted: { version: 1, schema: projectDeleted },
  CollaboratorAdded: { version: 1, schema: collaboratorAdded },
  CollaboratorRoleChanged: { version: 1, schema: collaboratorRoleChanged },
  CollaboratorRemoved: { version: 1, schema: collaboratorRemoved },
  GroupCollaboratorAdded: { version: 1, schema: groupCollaboratorAdded },
  GroupCollaboratorRoleChanged: { version: 1, schema: groupCollaboratorRoleChanged },
  GroupCollaboratorRemoved: { version: 1, schema: groupCollaboratorRemoved },
  LogStreamCreated: { version: 1, schema: logStreamCreated },
  LogStreamRenamed: { version: 1, schema: logStreamRenamed },
  LogStreamDeleted: { version: 1, schema: logStreamDeleted },
  ExperimentCreated: { version: 1, schema: experimentCreated },
  ExperimentRenamed: { version: 1, schema: experimentRenamed },
  ExperimentGroupAssigned: { version: 1, schema: experimentGroupAssigned },
  ExperimentDeleted: { version: 1, schema: experimentDeleted },
  ExperimentTagged: { version: 1, schema: experimentTagged },
  ExperimentTagChanged: { version: 1, schema: experimentTagChanged },
  ExperimentUntagged: { version: 1, schema: experimentUntagged },
  ExperimentGroupCreated: { version: 1, schema: experimentGroupCreated },
  ExperimentWinnerChosen: { version: 1, schema: experimentWinnerChosen },
  ExperimentWinnerWithdrawn: { version: 1, schema: experimentWinnerWithdrawn },
  RankingCriteriaSet: { version: 1, schema: rankingCriteriaSet },
  SessionStarted: { version: 1, schema: sessionStarted },
  SessionDeleted: { version: 1, schema: sessionDeleted },
  TraceLogged: { version: 1, schema: traceLogged },
  SpansLogged: { version: 1, schema: spansLogged },
  TraceUpdated: { version: 1, schema: traceUpdated },
  SpanUpdated: { version: 1, schema: spanUpdated },
  ScoresRecorded: { version: 1, schema: scoresRecorded },
  TraceDeleted: { version: 1, schema: traceDeleted },
  AnnotationTemplateCreated: { version: 1, schema: annotationTemplateCreated },
  AnnotationTemplateChanged: { version: 1, schema: annotationTemplateChanged },
  AnnotationTemplateDeleted: { version: 1, schema: annotationTemplateDeleted },
  AnnotationTemplatesReordered: { version: 1, schema: annotationTemplatesReordered },
  InsightsSettingsChanged: { version: 1, schema: insightsSettingsChanged },
  IntegrationConfigured: { version: 1, schema: integrationConfigured },
  IntegrationSecretsSealed: { version: 1, schema: integrationSecretsSealed },
  IntegrationResealed: { version: 1, schema: integrationResealed },
  IntegrationSelected: { version: 1, schema: integrationSelected },
  IntegrationDisabled: { version: 1, schema: integrationDisabled },
  IntegrationEnabled: { version: 1, schema: integrationEnabled },
  IntegrationDeleted: { version: 1, schema: integrationDeleted },
  RatingGiven: { version: 1, schema: ratingGiven },
  RatingWithdrawn: { version: 1, schema: ratingWithdrawn },
  DatasetCreated: { version: 1, schema: datasetCreated },
  DatasetContentChanged: { version: 1, schema: datasetContentChanged },
  DatasetRowsStored: { version: 1, schema: datasetRowsStored },
  DatasetRenamed: { version: 1, schema: datasetRenamed },
  ColumnMappingChanged: { version: 1, schema: columnMappingChanged },
  DatasetPublished: { version: 1, schema: datasetPublished },
  DatasetLinked: { version: 1, schema: datasetLinked },
  DatasetUnlinked: { version: 1, schema: datasetUnlinked },
  DatasetDeleted: { version: 1, schema: datasetDeleted },
  DatasetRowsErased: { version: 1, schema: datasetRowsErased },
  DatasetErased: { version: 1, schema: datasetErased },
  RecordsDeleted: { version: 1, schema: recordsDeleted },
  RecordsErased: { version: 1, schema: recordsErased },
  OrgJobRequested: { version: 1, schema: orgJobRequested },
  OrgJobStarted: { version: 1, schema: orgJobStarted },
  OrgJobCompleted: { version: 1, schema: orgJobCompleted },
  OrgJobFailed: { version: 1, schema: orgJobFailed },
  ErasureCompleted: { version: 1, schema: erasureCompleted },
  IdempotencyClaimed: { version: 1, schema: idempotencyClaimed },
  IdempotencyAnswered: { version: 1, schema: idempotencyAnswered },
  IdempotencyReleased: { version: 1, schema: idempotencyReleased },
};
