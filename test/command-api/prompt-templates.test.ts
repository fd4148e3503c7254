import { promptTemplates } from '../../command-api/facts/prompt-templates.js';
import { completePromptErasure } from '../../command-api/erasures/prompt-text-erasures.js';
import {
  addVersion,
  create,
  label,
  remove,
  rename,
  select,
  selectNamed,
  unlabel,
} from '../../command-api/prompt-templates/prompt-templates.js';
import { promptLabelsMax, promptVersionsMax } from '../../contract/prompt-template-record.js';
import type { PromptTemplateEvent } from '../../events/prompt-templates.js';
import type { ProjectId, PromptTemplateId, PromptVersionId } from '../../kernel/schema-types.js';
import { organization, userId } from '../support/access-events.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';

const id = 'e0000000-0000-4000-8000-000000000001' as PromptTemplateId;
const versionId = (number: number) =>
  `e1000000-0000-4000-8000-${String(number).padStart(12, '0')}` as PromptVersionId;
const change = {
  content_changed: true,
  settings_changed: false,
  model_changed: false,
  lines_added: 1,
  lines_edited: 0,
  lines_removed: 0,
};
const facts = {
  prompt_template_id: id,
  organization_id: organization,
  name: 'answer',
  project_id: null,
  hidden: false,
  created_by: userId(1),
  created_at: instantAfter(0),
};
const newVersion = (number: number) => ({
  prompt_template_id: id,
  version_id: versionId(number),
  created_by: userId(1),
  created_at: instantAfter(number),
});
const added = (version: number): PromptTemplateEvent => ({
  type: 'PromptTemplateVersionAdded',
  data: { ...newVersion(version), ...change, version },
});
const created: readonly PromptTemplateEvent[] = [
  { type: 'PromptTemplateCreated', data: facts },
  added(1),
];
const selected = (version: number): PromptTemplateEvent => ({
  type: 'PromptTemplateVersionSelected',
  data: { prompt_template_id: id, version },
});
const labelled = (called: string, version: number): PromptTemplateEvent => ({
  type: 'PromptTemplateLabelled',
  data: { prompt_template_id: id, label: called, version },
});
const deleted = (versions: number): PromptTemplateEvent => ({
  type: 'PromptTemplateDeleted',
  data: {
    prompt_template_id: id,
    organization_id: organization,
    version_ids: Array.from({ length: versions }, (_, at) => versionId(at + 1)),
  },
});
const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('a prompt template', () => {
  const given = deciderSpec(promptTemplates);

  it('is created once, with its first version', () => {
    const decide = create(facts, newVersion(1), change);
    given()
      .when(decide)
      .then(...created);
    given(...created)
      .when(decide)
      .then();
  });
  it('takes a version that was made from the newest one', () => {
    const decide = addVersion(1, newVersion(2), change);
    given(...created)
      .when(decide)
      .then(added(2));
    given(...created, added(2))
      .when(decide)
      .then();
    given(...created, added(2))
      .when(addVersion(1, newVersion(3), change))
      .thenRejected('conflict');
    given().when(decide).thenRejected('not-found');
  });
  it('has a limited number of versions', () => {
    const full = [...created, ...range(promptVersionsMax).slice(1).map(added)];
    given(...full)
      .when(addVersion(promptVersionsMax, newVersion(promptVersionsMax + 1), change))
      .thenRejected('conflict');
  });
  it('selects a version once', () => {
    const two = [...created, added(2)];
    given(...two)
      .when(select(2))
      .then();
    given(...two)
      .when(select(1))
      .then(selected(1));
    given(...two, selected(1))
      .when(select(1))
      .then();
  });
  it('selects by number or label, in its home', () => {
    const two = [...created, added(2), labelled('production', 1)];
    const elsewhere = 'e2000000-0000-4000-8000-000000000001' as ProjectId;
    for (const written of ['1', 'production'])
      given(...two)
        .when(selectNamed(written))
        .then(selected(1));
    given(...two)
      .when(selectNamed('latest'))
      .then();
    for (const unknown of ['0', '3', 'staging'])
      given(...two)
        .when(selectNamed(unknown))
        .thenRejected('not-found');
    given(...two)
      .when(selectNamed('1', elsewhere))
      .thenRejected('not-found');
  });
  it('is renamed where the name is another one', () => {
    given(...created)
      .when(rename('answer'))
      .then();
    given(...created)
      .when(rename(null))
      .then();
    given(...created)
      .when(rename('reply'))
      .then({ type: 'PromptTemplateRenamed', data: { prompt_template_id: id, name: 'reply' } });
  });
  it('moves a label, and takes it away once', () => {
    const two = [...created, added(2)];
    given(...two)
      .when(label('production', 1))
      .then(labelled('production', 1));
    given(...two, labelled('production', 1))
      .when(label('production', 1))
      .then();
    given(...two, labelled('production', 1))
      .when(label('production', 2))
      .then(labelled('production', 2));
    given(...two)
      .when(label('production', 3))
      .thenRejected('invalid');
    given(...two, labelled('production', 1))
      .when(unlabel('production'))
      .then({
        type: 'PromptTemplateUnlabelled',
        data: { prompt_template_id: id, label: 'production' },
      });
    given(...two)
      .when(unlabel('production'))
      .then();
    given(...two)
      .when(unlabel('constructor'))
      .then();
  });
  it('has a limited number of labels', () => {
    const full = range(promptLabelsMax).map((at) => labelled(`l${at}`, 1));
    given(...created, ...full)
      .when(label('more', 1))
      .thenRejected('conflict');
    given(...created, added(2), ...full)
      .when(label('l1', 2))
      .then(labelled('l1', 2));
  });
  it('is deleted once, and its erasure is completed once', () => {
    given(...created, added(2))
      .when(remove)
      .then(deleted(2));
    given(...created, deleted(1))
      .when(remove)
      .then();
    given(...created, deleted(1))
      .when(rename('reply'))
      .thenRejected('not-found');
    given(...created)
      .when(completePromptErasure)
      .thenRejected('conflict');
    const erased = { type: 'PromptTemplateErased', data: { prompt_template_id: id } } as const;
    given(...created, deleted(1))
      .when(completePromptErasure)
      .then(erased);
    given(...created, deleted(1), erased)
      .when(completePromptErasure)
      .then();
  });
});
