import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { VisibleProjects } from '../access/home-visibility.js';

export type PromptTemplateNeeds = VisibleProjects & {
  readonly log: EventLog;
  readonly ids: Pick<Ids, 'derive'>;
};

export const promptTemplateNotFound = (): Fault =>
  new Fault('not-found', 'Prompt template not found');
