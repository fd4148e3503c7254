import { createExperiment } from './experiments.js';
import { createLogStream } from './log-streams.js';
import type { Operation } from './operation.js';
import { createProject } from './projects.js';

/** Subject of a response; null: none. A run is one of the project. */
export type AnswerSubject = { readonly project: string | null; readonly run: string | null };

/**
 * Determines a response's subject, with which its stored copy is erased (contract 1.8, rule 4): the
 * project and run in the path, those that were created, or the project in the response.
 */
export const answerSubject = (
  { operationId }: Pick<Operation, 'operationId'>,
  params: Readonly<Record<string, unknown>>,
  body: unknown,
): AnswerSubject => {
  const members = typeof body === 'object' && body !== null ? (body as SubjectMembers) : {};
  const createdProject =
    operationId === createProject.operationId ? members.id : members.project_id;
  const project = textOr(params['project_id'], createdProject);
  const { experiment_id: experiment, log_stream_id: logStream, run_id: run } = params;
  const createdRun = runCreations.has(operationId) ? members.id : null;
  return { project, run: project === null ? null : textOr(experiment, logStream, run, createdRun) };
};

const runCreations: ReadonlySet<string> = new Set([
  createLogStream.operationId,
  createExperiment.operationId,
]);

const textOr = (...values: readonly unknown[]): string | null =>
  values.find((value) => typeof value === 'string') ?? null;

type SubjectMembers = { readonly id?: unknown; readonly project_id?: unknown };
