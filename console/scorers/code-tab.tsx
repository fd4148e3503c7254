import { useMemo, useState } from 'preact/hooks';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { CodeEditor } from '../client/code-editor.js';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import { markedText } from '../parts/text-pieces.js';
import { faultPlace, placeText } from './model.js';
import { scorerCodec } from './state.js';
import type { ScorerDraft } from './use-draft.js';
import { ValidationForm } from './validation-form.js';
import { ValidationResult } from './validation-result.js';

/** The code beside its validation; `Ctrl+Enter` validates, `Ctrl+s` saves. */
export const CodeTab = (props: { readonly scorer: Scorer; readonly draft: ScorerDraft }) => {
  const { draft } = props;
  const [view] = useView(scorerCodec);
  const { appearance } = useSurroundings();
  const [target, setTarget] = useState<{ readonly line: number } | null>(null);
  const isGroundMissing = view.on === 'dataset' && view.dataset === null;
  const isPending = draft.validation?.state === 'pending' && draft.validatedText !== null;
  const mayValidate = !isGroundMissing && !isPending && !draft.validate.isRunning;
  const validate = (): void => {
    if (draft.validate.permit.isAllowed && mayValidate) void draft.validate.run();
  };
  const maySave = draft.obstacle === null && !draft.save.isRunning;
  const save = (): void => {
    if (draft.save.permit.isAllowed && maySave) void draft.save.run();
  };
  useKeys(
    [
      { keys: 'Ctrl+Enter', what: 'Validate', run: validate },
      { keys: 'Ctrl+s', what: 'Save a new version', run: save },
    ],
    [],
  );
  return (
    <div class="scorer-code">
      <div class="stack">
        <FaultNotice fault={draft.code.fault} onRetry={draft.code.refetch} />
        {draft.isLoaded ? (
          <Editor
            {...props}
            isReadOnly={!draft.save.permit.isAllowed || appearance.isNarrow.value}
            target={target}
          />
        ) : (
          <Skeleton />
        )}
        <SaveBar {...props} maySave={maySave} onSave={save} />
      </div>
      <div class="stack">
        <ValidationForm draft={draft} mayValidate={mayValidate} onValidate={validate} />
        <ValidationResult
          scorer={props.scorer}
          draft={draft}
          onLine={(line) => setTarget({ line })}
        />
      </div>
    </div>
  );
};

const noMarks: readonly never[] = [];

const Editor = (props: {
  readonly draft: ScorerDraft;
  readonly isReadOnly: boolean;
  readonly target: { readonly line: number } | null;
}) => {
  const { draft } = props;
  const { validation, validatedText } = draft;
  const message = validation?.state === 'invalid' ? validation.message : null;
  const isKnown = validatedText !== null;
  const marks = useMemo(() => {
    if (message === null || !isKnown) return noMarks;
    const place = faultPlace(message);
    const text = markedText(place.headline);
    const before = place.row === null ? '' : `${placeText({ ...place, line: null })}: `;
    return place.line === null ? noMarks : [{ line: place.line, message: `${before}${text}` }];
  }, [message, isKnown, draft.task.value?.id]);
  return (
    <>
      <CodeEditor
        label="Code of the scorer"
        text={draft.text}
        onChange={draft.setText}
        marks={marks}
        isReadOnly={props.isReadOnly}
        target={props.target}
      />
      <span class="note code-editor-keys">Tab indents. Esc, then Tab leaves the editor.</span>
      <span class="note code-editor-narrow">Read only on narrow screens.</span>
    </>
  );
};

const SaveBar = (props: {
  readonly draft: ScorerDraft;
  readonly maySave: boolean;
  readonly onSave: () => void;
}) => {
  const { draft } = props;
  const [, change] = useView(scorerCodec);
  return (
    <>
      {draft.isOvertaken && (
        <div class="notice stale-notice" role="status">
          <span>v{draft.nextVersion - 1} was saved since you began. Yours goes on top.</span>
          <Button onClick={() => change({ tab: 'versions' })}>Compare</Button>
        </div>
      )}
      <FaultNotice fault={draft.save.fault} />
      <div class="inline">
        <Button
          look="primary"
          permit={draft.save.permit}
          isDisabled={!props.maySave}
          title={draft.obstacle ?? 'Ctrl+S'}
          onClick={props.onSave}
        >
          Save as v{draft.nextVersion}
        </Button>
        {draft.isEdited && <Button onClick={draft.discard}>Discard</Button>}
        <span class="note" role="status">
          {draft.save.permit.reason ?? draft.obstacle}
        </span>
      </div>
    </>
  );
};
