import { RecordedText } from '../parts/recorded-text.js';
import { RecordedRun } from '../parts/text-pieces.js';
import { useTextDiff } from './recorded-forms.js';

type Props = {
  readonly before: string;
  readonly after: string;
  readonly by: 'words' | 'lines';
};

/** Texts up to this length together are compared; of longer ones the later is shown. */
const comparedCharactersMax = 50_000;

/** How a recorded text differs from an earlier one; the later text until it is compared. */
export const TextDifference = (props: Props) =>
  props.before.length + props.after.length > comparedCharactersMax ? (
    <RecordedText text={props.after} />
  ) : (
    <Pieces {...props} />
  );

const Pieces = ({ before, after, by }: Props) => {
  const pieces = useTextDiff(before, after, by);
  if (pieces === null) return <RecordedText text={after} />;
  return (
    <div class="recorded-text text-diff" dir="auto">
      {pieces.map(({ kind, text }, index) => {
        const content = <RecordedRun text={text} />;
        if (kind === 'removed') return <del key={index}>{content}</del>;
        if (kind === 'added') return <ins key={index}>{content}</ins>;
        return <span key={index}>{content}</span>;
      })}
    </div>
  );
};
