import { createExperiment } from './experiments.js';
import { createLogStream } from './log-streams.js';
import type { Operation } from './operation.js';
import { createProject } from './projects.js';

/** Null: none. A run is one of the project. */
export type AnswerSubject = { readonly project: string | null; readonly run: string | null };

/**
 * What an answer is about, so that what is kept of it goes with that (contract 1.8, rule 4): the
 * project and the run in the path, those that were made, or the project that the answer names.
 */
export const answerSubject = (
  { operationId }: Pick<Operation, 'operationId'>,
  params: Readonly<Record<string, unknown>>,
  body: unknown,
): AnswerSubject => {
  const said = typeof body === 'object' && body !== null ? (body as SubjectMembers) : {};
  const made = operationId === createProject.operationId ? said.id : said.project_id;
  const project = textOr(params['project_id'], made);
  const { experiment_id: experiment, log_stream_id: logStream, run_id: run } = params;
  const begun = runCreations.has(operationId) ? said.id : null;
  return { project, run: project === null ? null : textOr(experiment, logStream, run, begun) };
};

const runCreations: ReadonlySet<string> = new Set([
  createLogStream.operationId,
  createExperiment.operationId,
]);

const textOr = (...values: readonly unknown[]): string | null =>
  values.find((value) => typeof value === 'string') ?? null;

type SubjectMembers = { readonly id?: unknown; readonly project_id?: unknown };
