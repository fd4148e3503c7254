import type { Operation } from './operation.js';
import { createProject } from './projects.js';

/**
 * The project that an answer is about, so that what is kept of the answer goes with the project
 * (contract 1.8, rule 4): the one in the path, the one that was made, or the one that the answer
 * names. Null: none.
 */
export const projectSpokenOf = (
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
  body: unknown,
): string | null => {
  const said = typeof body === 'object' && body !== null ? (body as Said) : {};
  const id = operation.operationId === createProject.operationId ? said.id : said.project_id;
  const spoken = params['project_id'] ?? id;
  return typeof spoken === 'string' ? spoken : null;
};

type Said = { readonly id?: unknown; readonly project_id?: unknown };
