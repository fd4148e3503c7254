import type { Descriptions } from './descriptions.js';

/** Prompt templates (contract 5.18). */
export const promptTemplateDescriptions: Descriptions = {
  members: {
    selected_version: 'Version that is shown and run where none is named.',
    selected_version_id: 'Id of the selected version.',
    all_available_versions: 'Numbers of all versions, from 1.',
    total_versions: 'Number of versions.',
    max_version: 'Number of the newest version.',
    all_versions:
      'Versions, newest first: the ten newest and the selected one; in lists that alone.',
    hidden: 'True leaves the template out of lists.',
    raw: 'True where variables are not filled in.',
    model_changed: 'True where the model differs from that of the version before.',
    settings_changed: 'True where the settings differ from those of the version before.',
    content_changed: 'True where the text differs from that of the version before.',
    lines_added: 'Lines that the version before lacks, less the edited ones.',
    lines_edited: 'Lines that came in place of others.',
    lines_removed: 'Lines of the version before that are gone, less the edited ones.',
    templates: 'Prompt templates of this page, in their order.',
    role: 'Role of a message, such as `system`, `user` or `assistant`; 1 to 64 characters.',
  },
  of: [
    {
      components: 'PromptTemplate',
      members: {
        id: 'Id of the prompt template.',
        name: 'Name of the prompt template, unique in its organisation.',
        template: 'Text of the selected version; messages as JSON.',
        labels: 'Number of the version that each label means.',
        project_id: 'Id of its home project; null: it has none.',
        created_at: 'Time when it was created.',
        updated_at: 'Time of its last change, versions included.',
      },
    },
    {
      components: 'PromptTemplateVersion',
      members: {
        id: 'Id of the version.',
        version: 'Number of the version, from 1.',
        template: 'The prompt: one text, or messages in their order.',
        settings: 'Settings of a run with it, completed by the defaults.',
        output_type: 'Type of the output that the author expects; null: none.',
        labels: 'Labels that mean this version.',
        created_at: 'Time when it was added.',
        updated_at: 'The same as `created_at`: a version never changes.',
      },
    },
    {
      components:
        'CreatePromptTemplate CreateProjectPromptTemplate ' +
        'AddPromptVersion AddPromptVersionOfProject',
      members: {
        template:
          'The prompt: a text, or 1 to 1,000 messages; 262,144 characters together at most.',
        settings: 'Settings of a run with it; null: the defaults.',
        output_type: 'Type of the output that the author expects; null: none.',
      },
    },
    {
      components: 'CreatePromptTemplate CreateProjectPromptTemplate RenamePromptTemplate',
      members: { name: 'Name of the template, 1 to 255 characters, unique in its organisation.' },
    },
    {
      components: 'LabelPromptVersion',
      members: { version: 'Number of the version that the label means from here on.' },
    },
    {
      components: 'SuffixedName',
      members: { value: 'The name, 1 to 255 characters.' },
    },
    {
      components: 'PromptTemplateFilter',
      members: {
        name: 'Column: `name`, `creator`; the home: `used_in_project`, `not_in_project`.',
        value: 'Value, or values where the operator takes several.',
      },
    },
    {
      components: 'PromptTemplateSort',
      members: { name: 'Column: `name`, `created_at` or `updated_at`.' },
    },
    {
      components: 'PromptMessage',
      members: { content: 'Text of the message, with variables as `{{name}}`.' },
    },
  ],
};
