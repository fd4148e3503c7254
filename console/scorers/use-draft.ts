import { useEffect, useState } from 'preact/hooks';
import type { Scorer, ScorerTask } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { useSurroundings } from '../client/context.js';
import { useAction, useCaller } from '../client/queries.js';
import { useUnsaved } from '../client/unsaved.js';
import { useView } from '../client/view.js';
import { organizationPermit } from '../parts/permits.js';
import { firstText, saveObstacle, scorerPermit, validationOf } from './model.js';
import { useTask, useVersionCode } from './questions.js';
import { scorerCodec } from './state.js';

/** Sample of a validation; empty texts are the service's own. */
export type Sample = { readonly input: string; readonly output: string };

const fileOf = (text: string): Blob => new Blob([text], { type: 'text/x-python' });

/** Edited code, and the version that it began from; null: there was none. */
type EditedCode = { readonly text: string; readonly base: number | null };

/**
 * The code of a scorer as it is edited: its text, its validation, and saving it. An edited text
 * outlives the page within its tab, and a login that ends.
 */
export const useScorerDraft = (scorer: Scorer) => {
  const { navigation } = useSurroundings();
  const { path } = navigation.place.value;
  const [view, change] = useView(scorerCodec);
  const newest = scorer.latest_version?.version ?? null;
  const code = useVersionCode(scorer.id, newest);
  const [edited, setEdited] = useUnsaved<EditedCode>(`scorer ${scorer.id}`);
  const [checked, setChecked] = useState<{ task: string; text: string } | null>(null);
  const [sample, setSample] = useState<Sample>({ input: '', output: '' });
  const task = useTask(view.task);
  const validation = task.value === undefined ? null : validationOf(task.value);
  const saved = newest === null ? null : (code.value ?? null);
  const text = edited?.text ?? saved ?? firstText;
  useEffect(() => {
    if (edited !== null && edited.text === saved) setEdited(null);
  }, [saved]);
  const validatedText = checked !== null && checked.task === view.task ? checked.text : null;
  const creation = organizationPermit(useCaller().value, 'creator');
  const validate = useAction(creation, async (operations, _input, options) => {
    const file = fileOf(text);
    const required = scorer.required_scorers;
    const shared = { file, ...(required.length > 0 && { required_scorers: required }) };
    const asked =
      view.on === 'sample'
        ? operations.scorers.validate(
            { ...shared, test_input: sample.input, test_output: sample.output },
            options,
          )
        : operations.scorers.validateOnDataset(
            {
              ...shared,
              dataset_id: view.dataset ?? '',
              dataset_version_index: view.version,
              starting_token: view.first,
              limit: view.rows,
            },
            options,
          );
    const { task_id } = await asked;
    setChecked({ task: task_id, text });
    if (navigation.place.peek().path === path) change({ task: task_id });
  });
  const save = useSave(scorer, text, task.value, (version) => setEdited({ text, base: version }));
  return {
    code,
    text,
    isLoaded: newest === null || code.value !== undefined || edited !== null,
    setText: (next: string): void => {
      const base = edited === null ? newest : edited.base;
      setEdited(next === (saved ?? firstText) ? null : { text: next, base });
    },
    /** True where another version was saved since the text was edited first. */
    isOvertaken: edited !== null && edited.base !== newest && edited.text !== saved,
    discard: (): void => setEdited(null),
    isEdited: edited !== null && edited.text !== saved,
    sample,
    setSample,
    task,
    validation,
    /** Text that the shown validation is about; null: another tab, or a visit before, sent it. */
    validatedText,
    validate,
    save,
    obstacle: saveObstacle({ text, saved, validation, validatedText }),
    nextVersion: (newest ?? 0) + 1,
  };
};

export type ScorerDraft = ReturnType<typeof useScorerDraft>;

/** Adds the text as the newest version, with the result of its validation. */
const useSave = (
  scorer: Scorer,
  text: string,
  task: ScorerTask | undefined,
  onSaved: (version: number) => void,
) =>
  useAction(
    scorerPermit(scorer),
    async (operations, _input, options) => {
      if (task?.result == null) return;
      const { version } = await operations.scorers.addVersion(
        { scorer_id: scorer.id, file: fileOf(text), validation_result: task.result },
        options,
      );
      onSaved(version);
    },
    ['scorers', 'scorer-settings'],
  );
