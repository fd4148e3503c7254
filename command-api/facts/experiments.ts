import { stream, type StreamName } from '../../kernel/ports.js';

/**
 * What experiments of one group, or those of a project in no group, have in common (contract 4.6).
 */
export const experimentScopeStream = (groupOrProject: string): StreamName =>
  stream('experiment-scope', groupOrProject);
export const rankingCriteriaStream = (project: string): StreamName =>
  stream('ranking-criteria', project);
