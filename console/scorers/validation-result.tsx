import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { Button } from '../parts/button.js';
import { BehindNotice, FaultNotice } from '../parts/notice.js';
import { printScore } from '../parts/numbers.js';
import { RecordedText, RecordedWord } from '../parts/recorded-text.js';
import { failureAdvice, faultPlace, placeText, type Validation } from './model.js';
import { ScoreChart } from './score-chart.js';
import { ScoredRows } from './scored-rows.js';
import { scoreSummary, scoreText, summaryText } from './score-summary.js';
import type { ScorerDraft } from './use-draft.js';

type Props = {
  readonly scorer: Scorer;
  readonly draft: ScorerDraft;
  readonly onLine: (line: number) => void;
};

/** The validation of the address: its progress, then what it found. */
export const ValidationResult = (props: Props) => {
  const { draft } = props;
  const { task, validation, validatedText, text } = draft;
  const shown = validation ?? (task.isLoading ? ({ state: 'pending', percent: 0 } as const) : null);
  return (
    <section class="stack" aria-label="Result of the validation">
      <FaultNotice fault={task.fault} onRetry={task.refetch} />
      <BehindNotice isBehind={task.isBehind} />
      <div role="status">{shown !== null && <Headline validation={shown} />}</div>
      {validation !== null && validation.state !== 'pending' && validatedText !== text && (
        <p class="note warn">
          {validatedText === null
            ? 'It is about a text that was validated on an earlier visit.'
            : 'It is about the text as it was before your last change.'}
        </p>
      )}
      {validation?.state === 'invalid' && (
        <InvalidResult
          validation={validation}
          isKnown={validatedText !== null}
          onLine={props.onLine}
        />
      )}
      {validation?.state === 'failed' && (
        <div class="notice bad-notice" role="alert">
          <div>
            <strong>The service could not run it: {validation.message}</strong>
            <p class="note">{failureAdvice(validation.message)}</p>
          </div>
        </div>
      )}
      {validation?.state === 'valid' && <ValidResult {...props} validation={validation} />}
    </section>
  );
};

const Headline = ({ validation }: { readonly validation: Validation }) => {
  switch (validation.state) {
    case 'pending':
      return (
        <div class="inline">
          <progress max={100} value={validation.percent} aria-label="Progress of the validation" />
          <span>{validation.percent} %</span>
        </div>
      );
    case 'invalid':
      return <strong class="bad">invalid</strong>;
    case 'failed':
      return <strong class="bad">failed</strong>;
    case 'valid':
      return (
        <span>
          <strong class="good">valid</strong>
          {` · ${validation.scoreType} · `}
          {summaryText(scoreSummary(validation.scores.map(({ score }) => score)))}
          {validation.chainAggregation !== null && ` · ${validation.chainAggregation} in chains`}
        </span>
      );
  }
};

const InvalidResult = (props: {
  readonly validation: Extract<Validation, { readonly state: 'invalid' }>;
  /** True where the editor had the text, so that its lines are those of the message. */
  readonly isKnown: boolean;
  readonly onLine: (line: number) => void;
}) => {
  const { validation } = props;
  const place = faultPlace(validation.message);
  const { line } = place;
  return (
    <>
      <div class="notice bad-notice scorer-fault">
        <div>
          {placeText(place) !== '' && <strong>{placeText(place)}: </strong>}
          <RecordedText text={place.headline} />
        </div>
        {line !== null && props.isKnown && (
          <Button onClick={() => props.onLine(line)}>Go to line {line}</Button>
        )}
      </div>
      {place.traceback !== '' && (
        <details>
          <summary>Frames of the file, the last one deepest</summary>
          <div class="scorer-traceback mono">
            <RecordedText text={place.traceback} />
          </div>
        </details>
      )}
      <UnknownParameters validation={validation} />
    </>
  );
};

const ValidResult = (
  props: Props & {
    readonly validation: Extract<Validation, { readonly state: 'valid' }>;
  },
) => {
  const { draft, validation } = props;
  const task = draft.task.value;
  return (
    <>
      <UnknownParameters validation={validation} />
      <ScoreChart summary={scoreSummary(validation.scores.map(({ score }) => score))} />
      <Aggregates aggregates={validation.aggregates} />
      {task?.metrics_experiment_id == null ? (
        <table class="grid-table">
          <thead>
            <tr>
              <th scope="col">Node type</th>
              <th scope="col" class="number">
                Score
              </th>
            </tr>
          </thead>
          <tbody>
            {validation.scores.map(({ node_type, score }) => (
              <tr key={node_type}>
                <td>{node_type}</td>
                <td class="number">
                  <RecordedWord text={scoreText(score)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <ScoredRows scorer={props.scorer} task={task} scores={validation.scores} />
      )}
    </>
  );
};

const Aggregates = (props: { readonly aggregates: Readonly<Record<string, number>> }) => {
  const entries = Object.entries(props.aggregates);
  if (entries.length === 0) return null;
  return (
    <p>
      {entries.map(([label, value], index) => (
        <span key={label}>
          {index > 0 && ' · '}
          <RecordedWord text={label} /> {printScore(value)}
        </span>
      ))}
    </p>
  );
};

const UnknownParameters = (props: {
  readonly validation: { readonly unknown: readonly string[]; readonly known: readonly string[] };
}) => {
  const { unknown, known } = props.validation;
  if (unknown.length === 0) return null;
  return (
    <p class="note warn">
      Nothing is passed for <RecordedWord text={unknown.join(', ')} />. Arguments are{' '}
      {known.join(', ')}.
    </p>
  );
};
