// Written by npm run generate from the contract: change that.
import type { PromptSettings } from './experiments-types.js';
import type { PromptRunSettings } from './experiments-types-2.js';
import type { ListingNameFilter, Permission, UserSummary } from './projects-types.js';

export type AddPromptVersion = {
  /**
   * The prompt: a text, or 1 to 1,000 messages; 262,144 characters together at most.
   */
  readonly template: string | readonly PromptMessage[];
  /** True where variables are not filled in. Default: false. */
  readonly raw?: boolean | null;
  /** Settings of a run with it; null: the defaults. */
  readonly settings?: PromptSettings | null;
  /** Type of the output that the author expects; null: none. */
  readonly output_type?: string | null;
};

export type AddPromptVersionOfProject = {
  /**
   * The prompt: a text, or 1 to 1,000 messages; 262,144 characters together at most.
   */
  readonly template: string | readonly PromptMessage[];
  /** True where variables are not filled in. Default: false. */
  readonly raw?: boolean | null;
  /** Settings of a run with it; null: the defaults. */
  readonly settings?: PromptSettings | null;
  /** Type of the output that the author expects; null: none. */
  readonly output_type?: string | null;
};

export type CreateProjectPromptTemplate = {
  /**
   * The prompt: a text, or 1 to 1,000 messages; 262,144 characters together at most.
   */
  readonly template: string | readonly PromptMessage[];
  /** True where variables are not filled in. Default: false. */
  readonly raw?: boolean | null;
  /** Settings of a run with it; null: the defaults. */
  readonly settings?: PromptSettings | null;
  /** Type of the output that the author expects; null: none. */
  readonly output_type?: string | null;
  /** Name of the template, 1 to 255 characters, unique in its organisation. */
  readonly name: string | SuffixedName;
  /** True leaves the template out of lists. Default: false. */
  readonly hidden?: boolean | null;
};

export type CreatePromptTemplate = {
  /**
   * The prompt: a text, or 1 to 1,000 messages; 262,144 characters together at most.
   */
  readonly template: string | readonly PromptMessage[];
  /** True where variables are not filled in. Default: false. */
  readonly raw?: boolean | null;
  /** Settings of a run with it; null: the defaults. */
  readonly settings?: PromptSettings | null;
  /** Type of the output that the author expects; null: none. */
  readonly output_type?: string | null;
  /** Name of the template, 1 to 255 characters, unique in its organisation. */
  readonly name: string | SuffixedName;
  /** True leaves the template out of lists. Default: false. */
  readonly hidden?: boolean | null;
};

export type LabelPromptVersion = {
  /** Number of the version that the label means from here on. */
  readonly version: number;
};

export type PromptMessage = {
  /** Role of a message, such as `system`, `user` or `assistant`; 1 to 64 characters. */
  readonly role: string;
  /** Text of the message, with variables as `{{name}}`. */
  readonly content: string;
};

export type PromptTemplate = {
  /** Id of the prompt template. */
  readonly id: string;
  /** Name of the prompt template, unique in its organisation. */
  readonly name: string;
  /** Text of the selected version; messages as JSON. */
  readonly template: string;
  /** Version that is shown and run where none is named. */
  readonly selected_version: PromptTemplateVersion;
  /** Id of the selected version. */
  readonly selected_version_id: string;
  /** Numbers of all versions, from 1. */
  readonly all_available_versions: readonly number[];
  /** Number of versions. */
  readonly total_versions: number;
  /** Number of the newest version. */
  readonly max_version: number;
  /**
   * Versions, newest first: the ten newest and the selected one; in lists that alone.
   */
  readonly all_versions: readonly PromptTemplateVersion[];
  /** Number of the version that each label means. */
  readonly labels: Readonly<Record<string, number>>;
  /** True leaves the template out of lists. */
  readonly hidden: boolean;
  /** Id of its home project; null: it has none. */
  readonly project_id: string | null;
  /** Time when it was created. */
  readonly created_at: string;
  /** Time of its last change, versions included. */
  readonly updated_at: string;
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
};

export type PromptTemplateFilter =
  | ListingNameFilter
  | {
      /** Column: `name`, `creator`; the home: `used_in_project`, `not_in_project`. */
      readonly name: 'creator';
      /** Comparison of the column with `value`. */
      readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
      /** Value, or values where the operator takes several. */
      readonly value: string | readonly string[];
    }
  | {
      /** Column: `name`, `creator`; the home: `used_in_project`, `not_in_project`. */
      readonly name: 'used_in_project' | 'not_in_project';
      /** Value, or values where the operator takes several. */
      readonly value: string;
    };

export type PromptTemplatePage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows of one page at most, 1 to 1,000. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Prompt templates of this page, in their order. */
  readonly templates: readonly PromptTemplate[];
};

export type PromptTemplateSort = {
  /** Column: `name`, `created_at` or `updated_at`. */
  readonly name: 'name' | 'created_at' | 'updated_at';
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. */
  readonly sort_type?: 'column' | null;
};

export type PromptTemplateVersion = {
  /** Id of the version. */
  readonly id: string;
  /** Id of the prompt template. */
  readonly prompt_template_id: string;
  /** Number of the version, from 1. */
  readonly version: number;
  /** The prompt: one text, or messages in their order. */
  readonly template: string | readonly PromptMessage[];
  /** True where variables are not filled in. */
  readonly raw: boolean;
  /** Settings of a run with it, completed by the defaults. */
  readonly settings: PromptRunSettings;
  /** Type of the output that the author expects; null: none. */
  readonly output_type: string | null;
  /** Labels that mean this version. */
  readonly labels: readonly string[];
  /** True where the model differs from that of the version before. */
  readonly model_changed: boolean;
  /** True where the settings differ from those of the version before. */
  readonly settings_changed: boolean;
  /** True where the text differs from that of the version before. */
  readonly content_changed: boolean;
  /** Lines that the version before lacks, less the edited ones. */
  readonly lines_added: number;
  /** Lines that came in place of others. */
  readonly lines_edited: number;
  /** Lines of the version before that are gone, less the edited ones. */
  readonly lines_removed: number;
  /** Time when it was added. */
  readonly created_at: string;
  /** The same as `created_at`: a version never changes. */
  readonly updated_at: string;
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
};

export type PromptTemplateVersionPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows of one page at most, 1 to 1,000. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Versions on this page, newest first. */
  readonly versions: readonly PromptTemplateVersion[];
};

export type QueryPromptTemplates = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly PromptTemplateFilter[] | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: PromptTemplateSort | null;
};

export type QueryPromptVersions = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
};

export type QueryPromptVersionsOfProject = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
};

export type RenamePromptTemplate = {
  /** Name of the template, 1 to 255 characters, unique in its organisation. */
  readonly name?: string | SuffixedName | null;
};

export type SuffixedName = {
  /** The name, 1 to 255 characters. */
  readonly value: string;
  /** Default: false. */
  readonly append_suffix_if_duplicate?: boolean;
};
