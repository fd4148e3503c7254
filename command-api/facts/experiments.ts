import { streamNameOf, type StreamName } from '../../kernel/ports.js';

/**
 * What experiments of one group, or those of a project in no group, have in common (contract 4.6).
 */
export const experimentScopeStream = (groupOrProject: string): StreamName =>
  streamNameOf('experiment-scope', groupOrProject);
export const rankingCriteriaStream = (project: string): StreamName =>
  streamNameOf('ranking-criteria', project);
