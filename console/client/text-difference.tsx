import type { DiffPiece } from '../engines/text-diff.js';
import { RecordedText } from '../parts/recorded-text.js';
import { RecordedRun } from '../parts/text-pieces.js';
import { useTextDiff } from './recorded-forms.js';

type Props = {
  readonly before: string;
  readonly after: string;
  readonly by: 'words' | 'lines';
  /** True where nothing beside shows the earlier text: texts that are not compared stand both. */
  readonly showsBefore?: boolean;
};

/** Texts up to this length together are compared. */
const comparedCharactersMax = 50_000;

/**
 * How a recorded text differs from an earlier one. Until they are compared, and where they have too
 * little in common, the later one, or both.
 */
export const TextDifference = (props: Props) =>
  props.before.length + props.after.length > comparedCharactersMax ? (
    <LongTexts {...props} />
  ) : (
    <Pieces {...props} />
  );

const LongTexts = ({ before, after, showsBefore }: Props) => (
  <>
    {showsBefore === true && before !== '' && (
      <del>
        <RecordedText text={before} />
      </del>
    )}
    <RecordedText text={after} />
  </>
);

const Pieces = ({ before, after, by, showsBefore }: Props) => {
  const compared = useTextDiff(before, after, by);
  if (compared === null && showsBefore !== true) return <RecordedText text={after} />;
  return (
    <div class="recorded-text text-diff" dir="auto">
      {(compared ?? replacement(before, after)).map(({ kind, text }, index) => {
        const content = <RecordedRun text={text} />;
        if (kind === 'removed') return <del key={index}>{content}</del>;
        if (kind === 'added') return <ins key={index}>{content}</ins>;
        return <span key={index}>{content}</span>;
      })}
    </div>
  );
};

/** The earlier text as a whole, and the later one on a line of its own. */
const replacement = (before: string, after: string): readonly DiffPiece[] => {
  const pieces: readonly DiffPiece[] = [
    { kind: 'removed', text: before },
    { kind: 'same', text: before === '' || after === '' ? '' : '\n' },
    { kind: 'added', text: after },
  ];
  return pieces.filter(({ text }) => text !== '');
};
