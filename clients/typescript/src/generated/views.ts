// Written by npm run generate from the contract: change that.
import type { Call, CallOptions } from '../call.js';
import type { Message } from './projects-types.js';
import type { ChangeView, CreateView, SavedView } from './views-types.js';

/** Saved views of pages, private to a user or shared with the project. */
export class Views {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Save a view of a page. Private to its creator unless `is_shared`, which takes an editor.
   * (contract 5.16)
   */
  create(
    input: { readonly project_id?: string } & CreateView,
    options?: CallOptions,
  ): Promise<SavedView> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/views', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Saved views of a project: the shared ones and the caller's own. Newest first, 1,000 at
   * most. (contract 5.16)
   */
  list(
    input: { readonly project_id?: string; readonly page?: string } = {},
    options?: CallOptions,
  ): Promise<readonly SavedView[]> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/views', isRead: true, query: 'page' },
      input,
      options,
    );
  }
  /** One saved view. A private view of another user is unknown. (contract 5.16) */
  get(
    input: { readonly project_id?: string; readonly view_id: string },
    options?: CallOptions,
  ): Promise<SavedView> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/views/{view_id}', isRead: true },
      input,
      options,
    );
  }
  /**
   * Rename a saved view, overwrite or share it. A shared view is changed by editors; only its
   * creator makes it private again. (contract 5.16)
   */
  change(
    input: { readonly project_id?: string; readonly view_id: string } & ChangeView,
    options?: CallOptions,
  ): Promise<SavedView> {
    return this.#call.answer(
      { method: 'PATCH', path: '/projects/{project_id}/views/{view_id}', isKeyed: true },
      input,
      options,
    );
  }
  /** Delete a saved view. A shared view is deleted by editors. (contract 5.16) */
  delete(
    input: { readonly project_id?: string; readonly view_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/views/{view_id}' },
      input,
      options,
    );
  }
}
