import type { TSchema } from 'typebox';
import {
  changeAnnotationTemplate,
  createAnnotationTemplate,
  deleteAnnotationTemplate,
  getAnnotationTemplate,
  listAnnotationTemplates,
  reorderAnnotationTemplates,
} from './annotation-templates.js';
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.js';
import {
  addCollaborators,
  addGroupCollaborators,
  changeCollaborator,
  changeGroupCollaborator,
  listCollaborators,
  listGroupCollaborators,
  removeCollaborator,
  removeGroupCollaborator,
} from './collaborators.js';
import {
  sessionsAvailableColumns,
  spansAvailableColumns,
  tracesAvailableColumns,
} from './columns.js';
import {
  changeExperiment,
  createExperiment,
  deleteExperiment,
  getExperiment,
  listExperiments,
  pageExperiments,
  searchExperiments,
} from './experiments.js';
import { filterComponents } from './filters.js';
import { createSession, logSpans, logTraces, updateSpan, updateTrace } from './ingest.js';
import { changeInsightsSettings, getInsightsSettings } from './insights-settings.js';
import { listingComponents } from './listings.js';
import {
  createLogStream,
  deleteLogStream,
  getLogStream,
  listLogStreams,
  pageLogStreams,
  renameLogStream,
  searchLogStreams,
} from './log-streams.js';
import { changePassword, login, loginWithApiKey, logout, refreshToken } from './logins.js';
import { customSearch } from './metrics.js';
import type { Operation } from './operation.js';
import {
  changeProject,
  createProject,
  deleteProject,
  getProject,
  listAllProjects,
  listProjects,
  pageProjects,
} from './projects.js';
import { giveRating, rateTraces, readRating, withdrawRating } from './ratings.js';
import {
  countSessions,
  countSpans,
  countTraces,
  getSession,
  getSpan,
  getTrace,
  searchSessions,
  searchSpans,
  searchTraces,
} from './record-reads.js';
import {
  changeUser,
  getUser,
  listCollaboratorRoles,
  listGroupRoles,
  listUserRoles,
  removeUser,
  searchUsers,
  userComponents,
} from './users.js';
import {
  addGroupMembers,
  changeGroup,
  changeGroupMember,
  createGroup,
  deleteGroup,
  getGroup,
  listGroupMembers,
  listGroups,
  listOwnGroups,
  removeGroupMember,
} from './groups.js';
import { inviteUsers } from './invitations.js';
import { healthcheck, readDescription } from './service.js';

/**
 * Every operation that is served: the rows of contract 6 as far as they are built. A list, no
 * discovery.
 */
export const operations: readonly Operation[] = [
  sessionsAvailableColumns,
  tracesAvailableColumns,
  spansAvailableColumns,
  refreshToken,
  login,
  loginWithApiKey,
  logout,
  changePassword,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  searchUsers,
  getUser,
  changeUser,
  removeUser,
  inviteUsers,
  listUserRoles,
  listGroupRoles,
  listCollaboratorRoles,
  listOwnGroups,
  createGroup,
  listGroups,
  getGroup,
  changeGroup,
  deleteGroup,
  addGroupMembers,
  listGroupMembers,
  changeGroupMember,
  removeGroupMember,
  customSearch,
  createProject,
  listProjects,
  listAllProjects,
  pageProjects,
  getProject,
  changeProject,
  deleteProject,
  listCollaborators,
  addCollaborators,
  changeCollaborator,
  removeCollaborator,
  listGroupCollaborators,
  addGroupCollaborators,
  changeGroupCollaborator,
  removeGroupCollaborator,
  createLogStream,
  listLogStreams,
  pageLogStreams,
  searchLogStreams,
  getLogStream,
  renameLogStream,
  deleteLogStream,
  createExperiment,
  listExperiments,
  pageExperiments,
  searchExperiments,
  getExperiment,
  changeExperiment,
  deleteExperiment,
  createSession,
  logTraces,
  updateTrace,
  logSpans,
  updateSpan,
  searchSessions,
  countSessions,
  getSession,
  searchTraces,
  countTraces,
  getTrace,
  searchSpans,
  countSpans,
  getSpan,
  createAnnotationTemplate,
  listAnnotationTemplates,
  reorderAnnotationTemplates,
  getAnnotationTemplate,
  changeAnnotationTemplate,
  deleteAnnotationTemplate,
  rateTraces,
  giveRating,
  readRating,
  withdrawRating,
  changeInsightsSettings,
  getInsightsSettings,
  healthcheck,
  readDescription,
] as readonly unknown[] as readonly Operation[];

/** What the recursive and the hand-judged shapes are called in the OpenAPI document. */
export const components: Readonly<Record<string, TSchema>> = {
  ...filterComponents,
  ...listingComponents,
  ...userComponents,
};
