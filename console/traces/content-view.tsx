import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RetrievedDocument } from '../../clients/typescript/src/generated/traces-types.js';
import { useMarkdown } from '../client/recorded-forms.js';
import { shownText } from '../parts/hostile-text.js';
import { JsonTree } from '../parts/json-tree.js';
import { Markdown } from '../client/markdown.js';
import { printScore } from '../parts/numbers.js';
import { HiddenNote, RecordedText, RecordedValue, RecordedWord } from '../parts/recorded-text.js';
import { RecordedRun } from '../parts/text-pieces.js';
import {
  contentBlocks,
  structuredJson,
  type CallBlock,
  type ContentBlock,
  type MessageBlock,
} from './content-blocks.js';

/** An input or output by what it is made of; messages by role, tool calls with their answers. */
export const ContentView = (props: {
  readonly label: string;
  readonly value: unknown;
  /** Shows what answered a call whose answer is not in the value. */
  readonly answerOf?: (callId: string) => ComponentChildren;
}) => {
  const blocks = useMemo(() => contentBlocks(props.value), [props.value]);
  if (blocks.length === 0) return null;
  return (
    <div class="content" role="group" aria-label={props.label}>
      {blocks.map((block, index) => (
        <Block key={index} label={props.label} block={block} answerOf={props.answerOf} />
      ))}
    </div>
  );
};

type BlockProps<B extends ContentBlock = ContentBlock> = {
  readonly label: string;
  readonly block: B;
  readonly answerOf: ((callId: string) => ComponentChildren) | undefined;
};

const Block = ({ label, block, answerOf }: BlockProps) => {
  switch (block.type) {
    case 'message':
      return <Message label={label} block={block} answerOf={answerOf} />;
    case 'text':
      return (
        <Labelled label={label}>
          <TextView text={block.text} />
        </Labelled>
      );
    case 'file':
      return (
        <Labelled label={label}>
          <FileNote id={block.fileId} />
        </Labelled>
      );
    case 'document':
      return <DocumentCard document={block.document} />;
    case 'control':
    case 'json':
      return (
        <Labelled label={label}>
          <JsonTree
            value={block.type === 'json' ? block.value : block.result}
            text={recordedValue}
            openLevels={2}
          />
        </Labelled>
      );
  }
};

const recordedValue = (text: string): ComponentChildren => <RecordedValue text={text} />;
const recordedRun = (text: string): ComponentChildren => <RecordedRun text={text} />;

const Labelled = (props: { readonly label: string; readonly children: ComponentChildren }) => (
  <div class="content-block" data-role={props.label}>
    <div class="content-label">{props.label}</div>
    <div class="content-body">{props.children}</div>
  </div>
);

const FileNote = ({ id }: { readonly id: string }) => (
  <span class="muted">file {id}, whose bytes are not stored</span>
);

/** Recorded text: a tree of JSON where it is that, else Markdown. */
const TextView = ({ text }: { readonly text: string }) => {
  const json = useMemo(() => structuredJson(text), [text]);
  if (text === '') return <span class="muted">empty text</span>;
  if (json !== undefined) return <JsonTree value={json} text={recordedValue} openLevels={2} />;
  return <RecordedText text={text} form={(part) => <MarkdownText text={part} />} />;
};

const MarkdownText = ({ text }: { readonly text: string }) => {
  const hidden = useMemo(() => shownText(text).hidden, [text]);
  const nodes = useMarkdown(text);
  return (
    <>
      <HiddenNote hidden={hidden} />
      {nodes === null ? (
        <div class="recorded-text" dir="auto">
          <RecordedRun text={text} />
        </div>
      ) : (
        <Markdown nodes={nodes} text={recordedRun} />
      )}
    </>
  );
};

const Message = ({ block, answerOf }: BlockProps<MessageBlock>) => (
  <Labelled label={block.role}>
    {block.answersCall !== null && (
      <div class="note">
        answers <RecordedWord text={block.answersCall} />
      </div>
    )}
    {block.pieces.map((piece, index) =>
      piece.type === 'text' ? (
        <TextView key={index} text={piece.text} />
      ) : (
        <FileNote key={index} id={piece.file_id} />
      ),
    )}
    {block.calls.map((call) => (
      <ToolCall key={call.id} call={call} answer={answerOf?.(call.id)} />
    ))}
  </Labelled>
);

const ToolCall = (props: { readonly call: CallBlock; readonly answer: ComponentChildren }) => {
  const { call } = props;
  return (
    <div class="tool-call">
      <div class="spread">
        <strong>
          → <RecordedWord text={call.name} />
        </strong>
        <span class="note mono">
          <RecordedWord text={call.id} />
        </span>
      </div>
      <TextView text={call.arguments} />
      {call.answer === null ? (
        props.answer
      ) : (
        <div class="tool-answer">
          <span class="note">← answer</span>
          <TextView text={call.answer} />
        </div>
      )}
    </div>
  );
};

const DocumentCard = ({ document }: { readonly document: RetrievedDocument }) => {
  const metadata = Object.entries(document.metadata ?? {});
  const [score] = metadata.filter(([key]) => /score/i.test(key));
  const others = metadata.filter((entry) => entry !== score);
  return (
    <article class="document-card">
      <div class="spread">
        <strong>document</strong>
        {score !== undefined && (
          <span class="note">
            {score[0]} {typeof score[1] === 'number' ? printScore(score[1]) : String(score[1])}
          </span>
        )}
      </div>
      <TextView text={document.content} />
      {others.length > 0 && (
        <Disclosure title={`metadata, ${others.length}`}>
          <JsonTree value={Object.fromEntries(others)} text={recordedValue} />
        </Disclosure>
      )}
    </article>
  );
};

/** Content that is made once it is opened. */
export const Disclosure = (props: {
  readonly title: string;
  readonly children: ComponentChildren;
}) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="disclosure">
      <button
        type="button"
        class="button plain"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? '▾' : '▸'} {props.title}
      </button>
      {isOpen && props.children}
    </div>
  );
};
