// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, NoInput } from '../call.js';
import type {
  ConfigureIntegration,
  DisableIntegration,
  Integration,
  IntegrationTest,
  ListProvidersResponse,
  TestIntegration,
} from './integrations-types.js';
import type { Message } from './projects-types.js';

/** A user's access to providers of models; secrets never come back. */
export class Integrations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create or replace the caller's integration of a provider. The body depends on the
   * provider. Secrets are sealed and never come back. (contract 4.9)
   */
  configure(
    input: { readonly provider_segment: string } & ConfigureIntegration,
    options?: CallOptions,
  ): Promise<Integration> {
    return this.#call.answer(
      { method: 'PUT', path: '/integrations/{provider_segment}' },
      input,
      options,
    );
  }
  /**
   * The caller's integrations; an admin's list has the organisation's. Without anything of
   * their configuration. (contract 5.9)
   */
  list(input: NoInput = {}, options?: CallOptions): Promise<readonly Integration[]> {
    return this.#call.answer(
      { method: 'GET', path: '/integrations', isRead: true },
      input,
      options,
    );
  }
  /** Providers that can be integrated. In alphabetical order. (contract 5.9) */
  listProviders(input: NoInput = {}, options?: CallOptions): Promise<ListProvidersResponse> {
    return this.#call.answer(
      { method: 'GET', path: '/integrations/available', isRead: true },
      input,
      options,
    );
  }
  /**
   * The caller's integration of a provider. Without anything of its configuration. (contract
   * 5.9)
   */
  get(input: { readonly provider_segment: string }, options?: CallOptions): Promise<Integration> {
    return this.#call.answer(
      { method: 'GET', path: '/integrations/{provider_segment}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Delete the caller's integration of a provider and erase its secrets. Its secrets cannot
   * be restored. (contract 5.9)
   */
  delete(input: { readonly provider_segment: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/integrations/{provider_segment}' },
      input,
      options,
    );
  }
  /**
   * Select an integration for its provider. Another that was selected for the provider no
   * longer is. (contract 5.9)
   */
  select(input: { readonly integration_id: string }, options?: CallOptions): Promise<Integration> {
    return this.#call.answer(
      { method: 'PUT', path: '/integrations/{integration_id}/select' },
      input,
      options,
    );
  }
  /**
   * Disable or enable the caller's integration of a provider. `disabled: false` enables it
   * again. (contract 5.9)
   */
  disable(input: DisableIntegration, options?: CallOptions): Promise<Integration> {
    return this.#call.answer(
      { method: 'POST', path: '/integrations/disable', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Call a model by the caller's integration of a provider. One request of at most 16 output
   * tokens. `ok` is false when the provider refuses it. (contract 5.9)
   */
  test(
    input: { readonly provider_segment: string } & TestIntegration,
    options?: CallOptions,
  ): Promise<IntegrationTest> {
    return this.#call.answer(
      { method: 'POST', path: '/integrations/{provider_segment}/test', isKeyed: true },
      input,
      options,
    );
  }
}
