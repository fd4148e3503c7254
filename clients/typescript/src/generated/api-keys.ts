// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Paged } from '../call.js';
import type { ApiKeyPage, CreateApiKey, NewApiKey } from './api-keys-types.js';
import type { Message } from './projects-types.js';

/** Credentials of programs, with the rights of their creator or fewer. */
export class ApiKeys {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create an API key. `api_key` is shown in this answer only. Without a project the key
   * reaches as far as its creator. (contract 4.4)
   */
  create(input: CreateApiKey, options?: CallOptions): Promise<NewApiKey> {
    return this.#call.answer(
      { method: 'POST', path: '/users/api_keys', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * API keys of a user. Revoked and expired keys are left out, and no key shows its value.
   * (contract 5.2)
   */
  list(
    input: { readonly user_id: string; readonly starting_token?: number; readonly limit?: number },
    options?: CallOptions,
  ): Paged<ApiKeyPage, ApiKeyPage['api_keys'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/users/{user_id}/api_keys',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'api_keys',
    );
  }
  /**
   * Revoke an API key and its children. Revoking a revoked key has the same response.
   * (contract 5.2)
   */
  revoke(input: { readonly api_key_id: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/users/api_keys/{api_key_id}' },
      input,
      options,
    );
  }
}
