// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, NoInput, Paged } from '../call.js';
import type {
  ChangeProject,
  CreateProject,
  ListUnpricedModelsResponse,
  ListingQuery,
  MatchModelPrice,
  Message,
  PriceList,
  PriceMatch,
  Project,
  ProjectPage,
  SetPriceList,
  ShippedPriceList,
} from './projects-types.js';

/** Containers of everything else; the role in a project determines access. */
export class Projects {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create a project. The caller becomes its owner; names are unique in the organisation.
   * (contract 5.4)
   */
  create(input: CreateProject, options?: CallOptions): Promise<Project> {
    return this.#call.answer({ method: 'POST', path: '/projects', isKeyed: true }, input, options);
  }
  /**
   * Visible projects. At most 1,000. `project_name` matches whole names. (contract 5.4)
   */
  list(
    input: {
      readonly project_name?: string;
      readonly type?: 'gen_ai' | 'prompt_evaluation' | 'llm_monitor' | 'protect';
    } = {},
    options?: CallOptions,
  ): Promise<readonly Project[]> {
    return this.#call.answer(
      { method: 'GET', path: '/projects', isRead: true, query: 'project_name type' },
      input,
      options,
    );
  }
  /** All visible projects. At most 1,000. (contract 5.4) */
  listAll(
    input: { readonly type?: 'gen_ai' | 'prompt_evaluation' | 'llm_monitor' | 'protect' } = {},
    options?: CallOptions,
  ): Promise<readonly Project[]> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/all', isRead: true, query: 'type' },
      input,
      options,
    );
  }
  /**
   * Visible projects, filtered, sorted and paged. The newest first unless `sort` says
   * otherwise. (contract 5.4)
   */
  page(
    input: ListingQuery = {},
    options?: CallOptions,
  ): Paged<ProjectPage, ProjectPage['projects'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/projects/paginated', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'projects',
    );
  }
  /**
   * One project. With its newest 100 runs, and what the caller may do in it. (contract 5.4)
   */
  get(input: { readonly project_id: string }, options?: CallOptions): Promise<Project> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Rename a project or change its details. Members that are left out stay as they are; a
   * member that is not listed is refused. (contract 5.4)
   */
  change(
    input: { readonly project_id: string } & ChangeProject,
    options?: CallOptions,
  ): Promise<Project> {
    return this.#call.answer({ method: 'PUT', path: '/projects/{project_id}' }, input, options);
  }
  /**
   * Delete a project with all in it. All in it is not found at once; its contents are erased
   * by a job. Datasets lose the link to it. (contract 5.4)
   */
  delete(input: { readonly project_id: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer({ method: 'DELETE', path: '/projects/{project_id}' }, input, options);
  }
  /**
   * What tokens of models cost in a project. By model, then by date; empty until prices are
   * set. Its prices count before shipped ones. (contract 5.4)
   */
  priceList(
    input: { readonly project_id?: string } = {},
    options?: CallOptions,
  ): Promise<PriceList> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/price_list', isRead: true },
      input,
      options,
    );
  }
  /**
   * Say what tokens of models cost in a project. Replaces the list. Spans that are logged
   * from then on and send no `cost` have one by it. (contract 5.4)
   */
  setPriceList(
    input: { readonly project_id?: string } & SetPriceList,
    options?: CallOptions,
  ): Promise<PriceList> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/price_list' },
      input,
      options,
    );
  }
  /**
   * Read the list prices of models that the service ships. Prices of the standard tier, each
   * with the page of the provider that says it. (contract 5.4)
   */
  shippedPriceList(input: NoInput = {}, options?: CallOptions): Promise<ShippedPriceList> {
    return this.#call.answer(
      { method: 'GET', path: '/price_list/shipped', isRead: true },
      input,
      options,
    );
  }
  /**
   * Find the price that a model has in a project. The rule says how the name of the model was
   * found in the list. (contract 5.4)
   */
  matchModelPrice(
    input: { readonly project_id?: string } & MatchModelPrice,
    options?: CallOptions,
  ): Promise<PriceMatch> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/price_list/match', isRead: true },
      input,
      options,
    );
  }
  /**
   * List models that have tokens and no cost in a project. By the number of their llm spans,
   * most first. A price that is set later does not give these spans a cost. (contract 5.4)
   */
  listUnpricedModels(
    input: {
      readonly project_id?: string;
      readonly start_time?: string;
      readonly end_time?: string;
    } = {},
    options?: CallOptions,
  ): Promise<ListUnpricedModelsResponse> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/price_list/unpriced',
        isRead: true,
        query: 'start_time end_time',
      },
      input,
      options,
    );
  }
}
