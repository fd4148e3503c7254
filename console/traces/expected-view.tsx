import { TextDifference } from '../client/text-difference.js';
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
          <TextDifference before={props.expected} after={output} by="words" />
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
