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
 * How a recorded text differs from an earlier one; the texts apart until they are compared, and
 * where they are too long or have too little in common.
 */
export const TextDifference = (props: Props) =>
  props.before.length + props.after.length > comparedCharactersMax ? (
    <Apart {...props} />
  ) : (
    <Pieces {...props} />
  );

/** The later text, with the earlier one before it where that is wanted. */
const Apart = ({ before, after, showsBefore }: Props) =>
  showsBefore === true && before !== '' ? (
    <div class="text-diff">
      <del>
        <RecordedText text={before} />
      </del>
      {after !== '' && (
        <ins>
          <RecordedText text={after} />
        </ins>
      )}
    </div>
  ) : (
    <RecordedText text={after} />
  );

const Pieces = (props: Props) => {
  const pieces = useTextDiff(props.before, props.after, props.by);
  if (pieces === null) return <Apart {...props} />;
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
