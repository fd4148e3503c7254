// Written by npm run generate from the contract: change that.
import type { Call, CallOptions } from '../call.js';
import type {
  AnnotationTemplate,
  ChangeAnnotationTemplate,
  CreateAnnotationTemplate,
  GiveRating,
  RateTraces,
  Rating,
  RatingResult,
  ReorderAnnotationTemplates,
} from './annotations-types.js';
import type { Message } from './projects-types.js';

/** Templates that say how people rate traces, and the ratings. */
export class Annotations {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create an annotation template. `constraints` say what a rating can be, and never change.
   * (contract 5.8)
   */
  createTemplate(
    input: { readonly project_id?: string } & CreateAnnotationTemplate,
    options?: CallOptions,
  ): Promise<AnnotationTemplate> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/annotation/templates', isKeyed: true },
      input,
      options,
    );
  }
  /** Annotation templates of a project, by position. At most 200. (contract 5.8) */
  listTemplates(
    input: { readonly project_id?: string } = {},
    options?: CallOptions,
  ): Promise<readonly AnnotationTemplate[]> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/annotation/templates', isRead: true },
      input,
      options,
    );
  }
  /**
   * Put the annotation templates of a project in order. `ordering` names every live template
   * once. (contract 5.8)
   */
  reorderTemplates(
    input: { readonly project_id?: string } & ReorderAnnotationTemplates,
    options?: CallOptions,
  ): Promise<readonly AnnotationTemplate[]> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/annotation/templates/reorder',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /** One annotation template. With the number of its current ratings. (contract 5.8) */
  template(
    input: { readonly project_id?: string; readonly template_id: string },
    options?: CallOptions,
  ): Promise<AnnotationTemplate> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/annotation/templates/{template_id}',
        isRead: true,
      },
      input,
      options,
    );
  }
  /**
   * Change name or criteria of an annotation template. What a rating can be does not change.
   * (contract 5.8)
   */
  changeTemplate(
    input: {
      readonly project_id?: string;
      readonly template_id: string;
    } & ChangeAnnotationTemplate,
    options?: CallOptions,
  ): Promise<AnnotationTemplate> {
    return this.#call.answer(
      {
        method: 'PATCH',
        path: '/projects/{project_id}/annotation/templates/{template_id}',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /**
   * Delete an annotation template; its ratings count no more. Its ratings are left out of
   * aggregates from then on. (contract 5.8)
   */
  deleteTemplate(
    input: { readonly project_id?: string; readonly template_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/annotation/templates/{template_id}' },
      input,
      options,
    );
  }
  /**
   * Give or withdraw ratings on many traces. Each operation is applied to each trace, and has
   * a result of its own for it. (contract 4.8)
   */
  rateTraces(
    input: { readonly project_id?: string } & RateTraces,
    options?: CallOptions,
  ): Promise<readonly RatingResult[]> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/annotation/ratings', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Give or replace the caller's rating of a trace. Everyone has one rating of a trace under
   * a template. (contract 5.8)
   */
  giveRating(
    input: {
      readonly project_id?: string;
      readonly template_id: string;
      readonly trace_id: string;
    } & GiveRating,
    options?: CallOptions,
  ): Promise<Rating> {
    return this.#call.answer(
      {
        method: 'PUT',
        path: '/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating',
      },
      input,
      options,
    );
  }
  /**
   * The caller's rating of a trace. Not found if the caller gave none. (contract 5.8)
   */
  rating(
    input: {
      readonly project_id?: string;
      readonly template_id: string;
      readonly trace_id: string;
    },
    options?: CallOptions,
  ): Promise<Rating> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating',
        isRead: true,
      },
      input,
      options,
    );
  }
  /**
   * Withdraw the caller's rating of a trace. Not found if the caller gave none. (contract
   * 5.8)
   */
  withdrawRating(
    input: {
      readonly project_id?: string;
      readonly template_id: string;
      readonly trace_id: string;
    },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      {
        method: 'DELETE',
        path: '/projects/{project_id}/annotation/templates/{template_id}/traces/{trace_id}/rating',
      },
      input,
      options,
    );
  }
}
