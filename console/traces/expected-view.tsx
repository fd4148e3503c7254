import { useTextDiff } from '../client/recorded-forms.js';
import { RecordedRun } from '../parts/text-pieces.js';
import { contentBlocks } from './content-blocks.js';
import { ContentView, Disclosure } from './content-view.js';

/** The reference output of a dataset row, and how the output differs from it. */
export const ExpectedView = (props: { readonly expected: string; readonly output: unknown }) => {
  const output = plainText(props.output);
  return (
    <>
      <ContentView label="expected" value={props.expected} />
      {output === props.expected ? (
        <p class="good">The output is as expected.</p>
      ) : (
        <Disclosure title="Difference from the expected output">
          <TextDiff before={props.expected} after={output} />
        </Disclosure>
      )}
    </>
  );
};

/** The texts of an output in their order, one a line. */
const plainText = (output: unknown): string =>
  contentBlocks(output)
    .map((block) => {
      if (block.type === 'text') return block.text;
      if (block.type === 'document') return block.document.content;
      if (block.type !== 'message') return '';
      return block.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n');
    })
    .join('\n');

const TextDiff = (props: { readonly before: string; readonly after: string }) => {
  const pieces = useTextDiff(props.before, props.after, 'words');
  if (pieces === null) return <p class="muted">Comparing, for half a second at most.</p>;
  return (
    <div class="recorded-text" dir="auto">
      {pieces.map(({ kind, text }, index) => {
        const content = <RecordedRun text={text} />;
        if (kind === 'removed') return <del key={index}>{content}</del>;
        if (kind === 'added') return <ins key={index}>{content}</ins>;
        return <span key={index}>{content}</span>;
      })}
    </div>
  );
};
