// Written by npm run generate from the contract: change that.
import type { Call, CallOptions } from '../call.js';
import type { LendIntegration, ModelAccess, SetModelAccess } from './models-types.js';

/** Models that a project may call: integrations that are lent to it, and its budgets. */
export class Models {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Integrations that a project may call, with budgets and default models. In the order in
   * which they were lent; with default settings until some are set. (contract 5.17)
   */
  access(
    input: { readonly project_id?: string } = {},
    options?: CallOptions,
  ): Promise<ModelAccess> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/model_access', isRead: true },
      input,
      options,
    );
  }
  /**
   * Set the budgets and default models of a project. Replaces all settings; integrations stay
   * lent. (contract 5.17)
   */
  setAccess(
    input: { readonly project_id?: string } & SetModelAccess = {},
    options?: CallOptions,
  ): Promise<ModelAccess> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/model_access' },
      input,
      options,
    );
  }
  /**
   * Lend the caller's integration to a project, or change its limits. The project calls
   * models with it until the lending ends; others never see it. (contract 5.17)
   */
  lendIntegration(
    input: { readonly project_id?: string; readonly integration_id: string } & LendIntegration,
    options?: CallOptions,
  ): Promise<ModelAccess> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/model_access/integrations/{integration_id}' },
      input,
      options,
    );
  }
  /**
   * End the lending of an integration to a project. By the user who lent it, or by an owner
   * of the project. (contract 5.17)
   */
  endIntegrationLending(
    input: { readonly project_id?: string; readonly integration_id: string },
    options?: CallOptions,
  ): Promise<ModelAccess> {
    return this.#call.answer(
      {
        method: 'DELETE',
        path: '/projects/{project_id}/model_access/integrations/{integration_id}',
      },
      input,
      options,
    );
  }
}
