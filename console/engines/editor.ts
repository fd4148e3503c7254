import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { pythonLanguage } from '@codemirror/lang-python';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** A fault at a line of the text, counted from 1. */
export type LineMark = { readonly line: number; readonly message: string };

/** An editor of Python in an element of the page. */
export type CodeEditor = {
  /**
   * Replaces the text, unless it is that already or was typed here: a page that draws later than
   * one types gives back older texts.
   */
  readonly setText: (text: string) => void;
  readonly setMarks: (marks: readonly LineMark[]) => void;
  readonly setReadOnly: (isReadOnly: boolean) => void;
  /** Shows the line and puts the cursor there. */
  readonly goTo: (line: number) => void;
  readonly close: () => void;
};

/**
 * Opens the editor in a shadow root of `host`: there CodeMirror's styles are constructed style
 * sheets, which the content security policy allows. Tab indents; Escape, then Tab leaves.
 */
export const openCodeEditor = (
  host: HTMLElement,
  given: {
    readonly label: string;
    readonly text: string;
    readonly isReadOnly: boolean;
    readonly onChange: (text: string) => void;
  },
): CodeEditor => {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const readOnly = new Compartment();
  const typed: string[] = [];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: given.text,
      extensions: [
        ...extensionsOf(given.label),
        readOnly.of(EditorState.readOnly.of(given.isReadOnly)),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (!docChanged || transactions.some((one) => one.annotation(fromPage))) return;
          const text = state.doc.toString();
          typed.push(text);
          given.onChange(text);
        }),
      ],
    }),
  });
  return {
    setText: (text) => {
      const echo = typed.indexOf(text);
      typed.splice(0, echo === -1 ? typed.length : echo + 1);
      // The editor ends all lines alike.
      if (echo !== -1 || text.replaceAll(/\r\n?/g, '\n') === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        annotations: fromPage.of(true),
      });
    },
    setMarks: (marks) => view.dispatch(setDiagnostics(view.state, marks.map(diagnosticIn(view)))),
    setReadOnly: (isReadOnly) =>
      view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(isReadOnly)) }),
    goTo: (line) => {
      const { from } = lineOf(view, line);
      view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
      view.focus();
    },
    close: () => view.destroy(),
  };
};

/** Marks changes that the page made, and so need not be told. */
const fromPage = Annotation.define<boolean>();

/** The line, or the last one of a shorter text. */
const lineOf = ({ state: { doc } }: EditorView, line: number) =>
  doc.line(Math.max(1, Math.min(line, doc.lines)));

const diagnosticIn = (view: EditorView) => (mark: LineMark) => {
  const { from, to } = lineOf(view, mark.line);
  return { from, to, severity: 'error', message: mark.message } as const;
};

/**
 * Inserts typed text by a transaction. Chromium, left to itself, keeps the style of the text that
 * it replaces in a `style` attribute, which the content security policy refuses.
 */
const insertText = (event: InputEvent, view: EditorView): boolean => {
  const { data, inputType, isComposing } = event;
  if (inputType !== 'insertText' || data === null || isComposing) return false;
  event.preventDefault();
  if (view.state.readOnly) return true;
  const how = { userEvent: 'input.type', scrollIntoView: true };
  view.dispatch(view.state.update(view.state.replaceSelection(data), how));
  return true;
};

/** `Ctrl+Enter` is a command of the page. */
const editorKeys = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

const extensionsOf = (label: string) => [
  lineNumbers(),
  lintGutter(),
  history(),
  drawSelection(),
  indentUnit.of('    '),
  indentOnInput(),
  bracketMatching(),
  pythonLanguage,
  syntaxHighlighting(highlighting),
  EditorView.domEventHandlers({ beforeinput: insertText }),
  keymap.of([...editorKeys, ...historyKeymap, indentWithTab]),
  EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
  theme,
];

/** Colours are those of the page, which its custom properties bring into the shadow root. */
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--series-4)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-3)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-2)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.function(tags.definition(tags.variableName)), color: 'var(--series-1)' },
  { tag: tags.definition(tags.className), color: 'var(--series-1)' },
  { tag: tags.meta, color: 'var(--series-7)' },
]);

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', height: '100%' },
  // The page outlines the host.
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '12.5px/18px var(--mono)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--sunk)',
    borderRight: '1px solid var(--line)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--selected)',
  },
  '.cm-selectionBackground': { background: 'var(--selected)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--removed)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
  },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    borderBottom: '2px solid var(--bad)',
    paddingBottom: '0',
  },
});
