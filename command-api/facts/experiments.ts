import { streamNameOf, type StreamName } from '../../kernel/ports.js';

/** Ranking scope of a group, or of a project's experiments without a group (contract 4.6). */
export const experimentScopeStream = (groupOrProject: string): StreamName =>
  streamNameOf('experiment-scope', groupOrProject);
export const rankingCriteriaStream = (project: string): StreamName =>
  streamNameOf('ranking-criteria', project);
