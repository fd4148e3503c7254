import { stream, type StreamName } from '../../kernel/ports.js';

/** Names of the streams that decide; an id in a name is lower-case. */
export const organizationStream = (id: string): StreamName => stream('organization', id);
export const userStream = (id: string): StreamName => stream('user', id);
export const apiKeyStream = (id: string): StreamName => stream('api-key', id);
export const groupStream = (id: string): StreamName => stream('group', id);
export const familyStream = (id: string): StreamName => stream('refresh-family', id);
/** Whether events of this stream change what somebody may do whom the gate remembers. */
export const bearsRights = (name: StreamName): boolean =>
  rightsCategories.some((category) => name.startsWith(category));
const rightsCategories = ['user-', 'api-key-', 'group-', 'refresh-family-'];
export const orgJobStream = (id: string): StreamName => stream('org-job', id);
export const deletionStream = (id: string): StreamName => stream('deletion', id);
export const projectStream = (id: string): StreamName => stream('project', id);
export const runStream = (id: string): StreamName => stream('run', id);
/**
 * What experiments of one group, or those of a project in no group, have in common (contract 4.6).
 */
export const experimentScopeStream = (groupOrProject: string): StreamName =>
  stream('experiment-scope', groupOrProject);
export const rankingCriteriaStream = (project: string): StreamName =>
  stream('ranking-criteria', project);
export const scorerStream = (id: string): StreamName => stream('scorer', id);
export const scorerTaskStream = (id: string): StreamName => stream('scorer-task', id);
export const scorerSettingsStream = (run: string): StreamName => stream('scorer-settings', run);
export const runScoringStream = (run: string): StreamName => stream('run-scoring', run);
/** Of the tasks of one project, or of one person's single samples. */
export const scorerQueueStream = (owner: string): StreamName => stream('scorer-queue', owner);
/** `digest` is derived from the organisation and the file. */
export const scorerFileStream = (digest: string): StreamName => stream('scorer-file', digest);
export const traceStream = (project: string, trace: string): StreamName =>
  stream('trace', project, trace);

/** Of an Idempotency-Key: the answer that speaks of the project. */
export const answerStream = (project: string, seed: string): StreamName =>
  stream('idempotency-answer', project, seed);
export const answersPrefix = (project: string): string =>
  `${stream('idempotency-answer', project)}-`;
export const insightsSettingsStream = (run: string): StreamName => stream('insights-settings', run);

/**
 * `digest` is derived from the name and its scope, so that no text of a client is part of a
 * stream's name.
 */
export const reservationStream = (
  what:
    | 'organization'
    | 'project'
    | 'log-stream'
    | 'experiment'
    | 'dataset'
    | 'api-key-value'
    | 'email'
    | 'session'
    | 'group'
    | 'invitation'
    | 'identity'
    | 'id-token'
    | 'last-admin'
    | 'scorer',
  digest: string,
): StreamName => stream('reservation', what, digest);
