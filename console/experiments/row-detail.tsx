import type {
  ComparedRow,
  RowOfExperiment,
} from '../../clients/typescript/src/generated/experiments-types.js';
import { useSurroundings } from '../client/context.js';
import { TextDifference } from '../client/text-difference.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { RecordedText } from '../parts/recorded-text.js';
import { markedText } from '../parts/text-pieces.js';
import { comparedName, outputText, type Comparison } from './comparison.js';
import { metricLabel, printMetric } from '../parts/metrics.js';
import { comparisonCodec } from './state.js';

/** An opened row: what was expected, and each output, the others as difference from the base. */
export const RowDetail = (props: {
  readonly projectId: string;
  readonly comparison: Comparison;
  readonly row: ComparedRow;
}) => {
  const { comparison, row } = props;
  const [view, change] = useView(comparisonCodec);
  const [base] = row.experiments;
  const other = view.by === 'words' ? 'lines' : 'words';
  return (
    <div class="stack">
      <div class="spread">
        <span class="note">
          Differences are from the output of the baseline, by {view.by}. Outputs with little in
          common are shown as they are.
        </span>
        <Button look="plain" onClick={() => change({ by: other })}>
          {`By ${other}`}
        </Button>
      </div>
      <div class="outputs">
        {row.dataset_output !== null && (
          <section class="stack" aria-label="Expected output">
            <h2>expected</h2>
            <RecordedText text={row.dataset_output} />
          </section>
        )}
        {row.experiments.map((one, index) => (
          <Output
            key={one.experiment_id}
            projectId={props.projectId}
            name={nameOf(comparison, index)}
            one={one}
            before={one === base || base?.trace_id == null ? null : outputText(base.output)}
          />
        ))}
      </div>
    </div>
  );
};

const nameOf = ({ experiments }: Comparison, index: number): string => {
  const experiment = experiments[index];
  return experiment === undefined ? '' : markedText(comparedName(experiment));
};

const Output = (props: {
  readonly projectId: string;
  readonly name: string;
  readonly one: RowOfExperiment;
  /** Output of the base; null: this is the base, or it has none. */
  readonly before: string | null;
}) => {
  const { navigation } = useSurroundings();
  const { one, before } = props;
  const [view] = useView(comparisonCodec);
  const text = outputText(one.output);
  if (one.trace_id === null) {
    return (
      <section class="stack" aria-label={`Output of ${props.name}`}>
        <h2>{props.name}</h2>
        <p class="warn">It has no trace for this row.</p>
      </section>
    );
  }
  return (
    <section class="stack" aria-label={`Output of ${props.name}`}>
      <div class="spread">
        <h2>{props.name}</h2>
        <a href={navigation.href(`/p/${props.projectId}/traces/${one.trace_id}`)}>
          Trace of {props.name}
        </a>
      </div>
      {one.num_traces > 1 && (
        <span class="note">
          Means of {one.num_traces} traces; the output is that of the newest.
        </span>
      )}
      {before === null || before === text ? (
        <RecordedText text={text} />
      ) : (
        <TextDifference before={before} after={text} by={view.by} />
      )}
      {before !== null && before === text && <span class="note">The same output.</span>}
      <span class="muted">
        {Object.entries(one.metrics)
          .map(
            ([metric, { value }]) => `${metricLabel(metric)} ${printMetric(metric, value, false)}`,
          )
          .join(' · ')}
      </span>
    </section>
  );
};
