// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Paged } from '../call.js';
import type { Message } from './projects-types.js';
import type {
  AddPromptVersion,
  AddPromptVersionOfProject,
  CreateProjectPromptTemplate,
  CreatePromptTemplate,
  LabelPromptVersion,
  PromptTemplate,
  PromptTemplatePage,
  PromptTemplateVersion,
  PromptTemplateVersionPage,
  QueryPromptTemplates,
  QueryPromptVersions,
  QueryPromptVersionsOfProject,
  RenamePromptTemplate,
} from './prompts-types.js';

/** Prompt templates with their versions and labels. */
export class Prompts {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create a prompt template. Its first version is selected. `settings` are those of a run
   * (4.6). (contract 5.18)
   */
  createTemplate(
    input: { readonly project_id?: string } & CreatePromptTemplate,
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'POST', path: '/templates', isKeyed: true, query: 'project_id' },
      input,
      options,
    );
  }
  /**
   * Create a prompt template with the project as its home. Its first version is selected.
   * `settings` are those of a run (4.6). (contract 5.18)
   */
  createProjectTemplate(
    input: { readonly project_id?: string } & CreateProjectPromptTemplate,
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/templates', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Visible prompt templates, filtered, sorted and paged. Each with its selected version;
   * hidden ones are left out. (contract 5.18)
   */
  queryTemplates(
    input: QueryPromptTemplates = {},
    options?: CallOptions,
  ): Paged<PromptTemplatePage, PromptTemplatePage['templates'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/templates/query', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'templates',
    );
  }
  /**
   * Prompt templates whose home is the project, newest first. Each with its selected version;
   * hidden ones are left out. (contract 5.18)
   */
  listProjectTemplates(
    input: { readonly project_id?: string } = {},
    options?: CallOptions,
  ): Promise<readonly PromptTemplate[]> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/templates', isRead: true },
      input,
      options,
    );
  }
  /**
   * A version of a prompt template of a project, by the name of the template. Without
   * `version`: the selected one. (contract 5.18)
   */
  versionByName(
    input: {
      readonly project_id?: string;
      readonly template_name: string;
      readonly version?: string;
    },
    options?: CallOptions,
  ): Promise<PromptTemplateVersion> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/templates/versions',
        isRead: true,
        query: 'template_name version',
      },
      input,
      options,
    );
  }
  /**
   * One prompt template. `all_versions` has the ten newest ones. The `ETag` can be sent as
   * `If-Match`. (contract 5.18)
   */
  template(
    input: { readonly prompt_template_id: string },
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'GET', path: '/templates/{prompt_template_id}', isRead: true },
      input,
      options,
    );
  }
  /** Rename a prompt template. Its versions stay as they are. (contract 5.18) */
  renameTemplate(
    input: { readonly prompt_template_id: string } & RenamePromptTemplate,
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'PATCH', path: '/templates/{prompt_template_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Delete a prompt template; its texts are erased. Experiments keep their copy of the
   * prompt. (contract 5.18)
   */
  deleteTemplate(
    input: { readonly prompt_template_id: string },
    options?: CallOptions,
  ): Promise<Message> {
    return this.#call.answer(
      { method: 'DELETE', path: '/templates/{prompt_template_id}' },
      input,
      options,
    );
  }
  /**
   * Add a version to a prompt template. It is selected. One that equals the newest is not
   * added; that one is answered. (contract 5.18)
   */
  addVersion(
    input: { readonly prompt_template_id: string } & AddPromptVersion,
    options?: CallOptions,
  ): Promise<PromptTemplateVersion> {
    return this.#call.answer(
      { method: 'POST', path: '/templates/{prompt_template_id}/versions', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Add a version to a prompt template. It is selected. One that equals the newest is not
   * added; that one is answered. (contract 5.18)
   */
  addVersionOfProject(
    input: {
      readonly project_id?: string;
      readonly prompt_template_id: string;
    } & AddPromptVersionOfProject,
    options?: CallOptions,
  ): Promise<PromptTemplateVersion> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/templates/{prompt_template_id}/versions',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /**
   * A version of a prompt template, by number or label. The label `latest` is the newest
   * version. (contract 5.18)
   */
  version(
    input: { readonly prompt_template_id: string; readonly version: string },
    options?: CallOptions,
  ): Promise<PromptTemplateVersion> {
    return this.#call.answer(
      { method: 'GET', path: '/templates/{prompt_template_id}/versions/{version}', isRead: true },
      input,
      options,
    );
  }
  /**
   * A version of a prompt template, by number or label. The label `latest` is the newest
   * version. (contract 5.18)
   */
  versionOfProject(
    input: {
      readonly project_id?: string;
      readonly prompt_template_id: string;
      readonly version: string;
    },
    options?: CallOptions,
  ): Promise<PromptTemplateVersion> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/templates/{prompt_template_id}/versions/{version}',
        isRead: true,
      },
      input,
      options,
    );
  }
  /**
   * Select a version of a prompt template. The selected one is shown and run where none is
   * named. (contract 5.18)
   */
  selectVersion(
    input: { readonly prompt_template_id: string; readonly version: string },
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'PUT', path: '/templates/{prompt_template_id}/versions/{version}' },
      input,
      options,
    );
  }
  /**
   * Select a version of a prompt template. The selected one is shown and run where none is
   * named. (contract 5.18)
   */
  selectVersionOfProject(
    input: {
      readonly project_id?: string;
      readonly prompt_template_id: string;
      readonly version: string;
    },
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      {
        method: 'PUT',
        path: '/projects/{project_id}/templates/{prompt_template_id}/versions/{version}',
      },
      input,
      options,
    );
  }
  /**
   * Versions of a prompt template, newest first, paged. With what each changed in the one
   * before it. (contract 5.18)
   */
  queryVersions(
    input: { readonly prompt_template_id: string } & QueryPromptVersions,
    options?: CallOptions,
  ): Paged<PromptTemplateVersionPage, PromptTemplateVersionPage['versions'][number]> {
    return this.#call.pages(
      {
        method: 'POST',
        path: '/templates/{prompt_template_id}/versions/query',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'versions',
    );
  }
  /**
   * Versions of a prompt template, newest first, paged. With what each changed in the one
   * before it. (contract 5.18)
   */
  queryVersionsOfProject(
    input: {
      readonly project_id?: string;
      readonly prompt_template_id: string;
    } & QueryPromptVersionsOfProject,
    options?: CallOptions,
  ): Paged<PromptTemplateVersionPage, PromptTemplateVersionPage['versions'][number]> {
    return this.#call.pages(
      {
        method: 'POST',
        path: '/projects/{project_id}/templates/{prompt_template_id}/versions/query',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'versions',
    );
  }
  /**
   * Give a version of a prompt template a label. A label means one version; it moves here
   * from another. (contract 5.18)
   */
  labelVersion(
    input: { readonly prompt_template_id: string; readonly label: string } & LabelPromptVersion,
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'PUT', path: '/templates/{prompt_template_id}/labels/{label}' },
      input,
      options,
    );
  }
  /** Take a label away from a prompt template. The version stays. (contract 5.18) */
  unlabelVersion(
    input: { readonly prompt_template_id: string; readonly label: string },
    options?: CallOptions,
  ): Promise<PromptTemplate> {
    return this.#call.answer(
      { method: 'DELETE', path: '/templates/{prompt_template_id}/labels/{label}' },
      input,
      options,
    );
  }
}
