import {
  getModelAccess,
  modelAccessAnswer,
  noModelAccess,
  type Lending,
  type LentIntegration,
  type ModelAccess,
} from '../../contract/model-access.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Documents } from '../../kernel/documents.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { modelAccess } from '../../projections/model-access.js';

type Needs = {
  readonly documents: Documents;
  /** State and models of lendings, from the log: what the service calls is decided by it. */
  readonly lentIntegrations: (
    project: ProjectId,
    lendings: readonly Lending[],
  ) => Promise<readonly LentIntegration[]>;
};

/** Read of model access (contract 5.17). */
export const modelAccessReads = ({ documents, lentIntegrations }: Needs): readonly Route[] => [
  readRoute(
    getModelAccess,
    [modelAccess.collection],
    async ({ params: { project_id: project } }) => {
      const found = await documents.get<ModelAccess>(modelAccess.collection, project);
      const access = found?.scope === project ? found.body : noModelAccess;
      return modelAccessAnswer(access, await lentIntegrations(project, access.lendings));
    },
  ),
];
