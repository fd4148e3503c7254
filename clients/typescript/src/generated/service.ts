// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, NoInput } from '../call.js';
import type { HealthcheckResponse, ReadDescriptionResponse } from './service-types.js';

/** The service itself. */
export class Service {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Say that the service answers. Answers as long as the process does, whatever its engines
   * are doing. (contract 5.15)
   */
  healthcheck(input: NoInput = {}, options?: CallOptions): Promise<HealthcheckResponse> {
    return this.#call.answer(
      { method: 'GET', path: '/healthcheck', isRead: true, schemes: '' },
      input,
      options,
    );
  }
  /**
   * Read the OpenAPI document of this interface. The document that this sentence is from.
   * (contract 5.15)
   */
  description(input: NoInput = {}, options?: CallOptions): Promise<ReadDescriptionResponse> {
    return this.#call.answer(
      { method: 'GET', path: '/openapi.json', isRead: true, schemes: '' },
      input,
      options,
    );
  }
}
