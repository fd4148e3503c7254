import type { Experiment } from '../../clients/typescript/src/generated/experiments-types-2.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
import { useAction } from '../client/queries.js';
import { addressCodec } from '../parts/address.js';
import { Button } from '../parts/button.js';
import { CopyId } from '../parts/copy-id.js';
import { metricLabel, printMetric } from '../parts/metrics.js';
import { FaultNotice } from '../parts/notice.js';
import { scopeMembers, type RecordScope } from '../parts/record-scope.js';
import { RecordedText, RecordedWord } from '../parts/recorded-text.js';
import { markedText } from '../parts/text-pieces.js';
import { datasetText, numericMetrics } from './model.js';
import { experimentName } from './questions.js';

type Props = { readonly projectId: string; readonly experiment: Experiment };

/** One experiment: its numbers, settings, prompt and tags, and the way to its traces. */
export const ExperimentDetail = (props: Props & { readonly onClose: () => void }) => {
  const { clipboard, navigation } = useSurroundings();
  const { projectId, experiment, onClose } = props;
  useKeys([{ keys: 'Escape', what: 'Close the experiment', run: onClose }], [experiment.id]);
  const scope = { t: 'all', f: '', run: `experiment:${experiment.id}` } as const;
  const view = addressCodec<RecordScope>(scopeMembers).write(scope);
  return (
    <section class="card stack" aria-label="One experiment">
      <div class="spread">
        <span class="inline">
          <h2>{markedText(experimentName(experiment))}</h2>
          <CopyId id={experiment.id} onCopy={clipboard.copy} />
        </span>
        <span class="inline">
          <a href={navigation.href(`/p/${projectId}/traces`, view)}>Traces</a>
          <a href={navigation.href(`/history/experiment/${experiment.id}`)}>History</a>
          <Button look="plain" onClick={onClose}>
            Close
          </Button>
        </span>
      </div>
      <Facts experiment={experiment} />
      <Tags {...props} />
      <Numbers experiment={experiment} />
      <Settings experiment={experiment} />
    </section>
  );
};

const Facts = ({ experiment }: { readonly experiment: Experiment }) => {
  const { created_by_user: user, num_traces, num_spans } = experiment;
  return (
    <p class="muted">
      created <Instant at={experiment.created_at} />
      {user !== null && ` by ${user.email}`}
      {` · ${num_traces ?? 0} traces, ${num_spans ?? 0} spans`}
      {` · ${markedText(datasetText(experiment) ?? 'without a dataset')}`}
      {experiment.prompt_model !== null && ` · ${markedText(experiment.prompt_model)}`}
    </p>
  );
};

const Tags = ({ projectId, experiment }: Props) => {
  const untag = useAction(
    useProjectPermit(projectId, 'editor'),
    (operations, tag_id: string, options) =>
      operations.experiments.untag(
        { project_id: projectId, experiment_id: experiment.id, tag_id },
        options,
      ),
    ['experiments'],
  );
  const tags = Object.values(experiment.tags).flat();
  if (tags.length === 0) return null;
  return (
    <div class="inline">
      {tags.map(({ id, key, value }) => (
        <span key={id} class="experiment-tag">
          <RecordedWord text={`${key}: ${value}`} />
          <Button
            look="plain"
            label={`Remove the tag ${markedText(key)}: ${markedText(value)}`}
            permit={untag.permit}
            isDisabled={untag.isRunning}
            onClick={() => void untag.run(id)}
          >
            ×
          </Button>
        </span>
      ))}
      <FaultNotice fault={untag.fault} />
    </div>
  );
};

const statistics = ['avg', 'min', 'p50', 'p95', 'max'] as const;

const Numbers = ({ experiment }: { readonly experiment: Experiment }) => {
  const metrics = numericMetrics([experiment]);
  if (metrics.length === 0) return <p class="muted">No trace of it has a metric.</p>;
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="Metrics">
      <table class="grid-table">
        <thead>
          <tr>
            <th scope="col">Metric</th>
            {['mean or share', 'lowest', 'median', '95 %', 'highest', 'values'].map((text) => (
              <th key={text} scope="col" class="number">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => (
            <NumberRow key={metric} experiment={experiment} metric={metric} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const NumberRow = (props: { readonly experiment: Experiment; readonly metric: string }) => {
  const { experiment, metric } = props;
  const summary = experiment.structured_aggregate_metrics[metric];
  const values = statistics.map((name) =>
    name === 'avg' ? (summary?.avg ?? summary?.pct) : summary?.[name],
  );
  return (
    <tr>
      <td>
        <RecordedWord text={metricLabel(metric)} />
      </td>
      {values.map((value, index) => (
        <td key={index} class="number">
          {value == null ? '–' : printMetric(metric, value, typeof summary?.pct === 'number')}
        </td>
      ))}
      <td class="number">{summary?.count.toLocaleString('en')}</td>
    </tr>
  );
};

const Settings = ({ experiment }: { readonly experiment: Experiment }) => {
  const { prompt, prompt_run_settings: settings } = experiment;
  return (
    <>
      {prompt !== null && (
        <details>
          <summary>
            Prompt {markedText(prompt.name)} v{prompt.version_index}
          </summary>
          <RecordedText text={prompt.content} />
        </details>
      )}
      {settings !== null && (
        <details>
          <summary>Settings</summary>
          <RecordedText text={JSON.stringify(settings, null, 2)} />
        </details>
      )}
    </>
  );
};
