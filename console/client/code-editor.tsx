import { useEffect, useRef, useState } from 'preact/hooks';
import type { CodeEditor as OpenEditor, LineMark } from '../engines/editor.js';
import { TextArea } from '../parts/field.js';
import { Skeleton } from '../parts/notice.js';

type Props = {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly marks: readonly LineMark[];
  readonly isReadOnly: boolean;
  /** Line to show and to put the cursor at, once for each object; null: none. */
  readonly target: { readonly line: number } | null;
};

/** Edits Python. The editor's package is loaded when it is shown first; without it, a text area. */
export const CodeEditor = (props: Props) => {
  const host = useRef<HTMLDivElement | null>(null);
  const [editor, setEditor] = useState<OpenEditor | 'failed' | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const load = loadInto(host, latest);
    load.editor.then(setEditor, () => setEditor('failed'));
    return load.cancel;
  }, []);
  const open = editor === 'failed' ? null : editor;
  useEffect(() => open?.setText(props.text), [open, props.text]);
  useEffect(() => open?.setMarks(props.marks), [open, props.marks]);
  useEffect(() => open?.setReadOnly(props.isReadOnly), [open, props.isReadOnly]);
  useEffect(() => {
    if (props.target !== null) open?.goTo(props.target.line);
  }, [open, props.target]);
  return (
    <>
      {editor === null && <Skeleton />}
      {editor === 'failed' && (
        <TextArea
          label={props.label}
          value={props.text}
          onInput={props.onChange}
          rows={20}
          isDisabled={props.isReadOnly}
          isCode
        />
      )}
      <div ref={host} class="code-editor" hidden={open === null} />
    </>
  );
};

type Holder<T> = { readonly current: T };

/** Opens the editor in the element once its package came; `cancel` closes it, then or later. */
const loadInto = (host: Holder<HTMLElement | null>, latest: Holder<Props>) => {
  let isCancelled = false;
  let opened: OpenEditor | null = null;
  const load = async (): Promise<OpenEditor | null> => {
    const { openCodeEditor } = await import('../engines/editor.js');
    if (isCancelled || host.current === null) return null;
    const { label, text, isReadOnly } = latest.current;
    opened = openCodeEditor(host.current, {
      label,
      text,
      isReadOnly,
      onChange: (changed) => latest.current.onChange(changed),
    });
    return opened;
  };
  return {
    editor: load(),
    cancel: (): void => {
      isCancelled = true;
      opened?.close();
    },
  };
};
