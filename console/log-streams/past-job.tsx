import type {
  PastScoringJob,
  PastScoringRequest,
  ScoringFailure,
} from '../../clients/typescript/src/generated/scorers-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useAction } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { FaultNotice } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { Permit } from '../parts/permits.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { faultPlace } from '../scorers/model.js';
import { choiceOf, failureText, isUnfinished, progressText } from './model.js';
import type { RunIds } from './questions.js';

/** The newest scoring of what was there: progress, a way to stop and to go on, and failures. */
export const PastJob = (props: {
  readonly ids: RunIds;
  readonly job: PastScoringJob;
  readonly permit: Permit<'editor'>;
  readonly onContinue: (request: PastScoringRequest) => void;
}) => {
  const { ids, job, permit } = props;
  const stop = useAction(
    permit,
    (operations, _input, options) =>
      operations.scorers.cancelPastScoring(
        { project_id: ids.projectId, run_id: ids.runId, scorer_id: job.scorer_id },
        options,
      ),
    ['jobs'],
  );
  const isBusy = isUnfinished(job);
  return (
    <div class="stack">
      <div class="past-job">
        <progress max={100} value={job.progress_percent} aria-label="Progress of the scoring" />
        <span role="status">{`${job.status.replace('_', ' ')} · ${progressText(job)}`}</span>
        {isBusy && (
          <Button permit={permit} isDisabled={stop.isRunning} onClick={() => void stop.run()}>
            Stop
          </Button>
        )}
        {job.status === 'cancelled' && (
          <Button permit={permit} onClick={() => props.onContinue(choiceOf(job))}>
            Go on
          </Button>
        )}
        <span class="note">
          v{job.scorer_version}, asked for <Instant at={job.created_at} />
        </span>
      </div>
      <FaultNotice fault={stop.fault} />
      {job.error_message !== null && (
        <p class="warn">
          <RecordedWord text={job.error_message} />
        </p>
      )}
      {job.failures.length > 0 && <Failures projectId={ids.projectId} failures={job.failures} />}
    </div>
  );
};

const Failures = (props: {
  readonly projectId: string;
  readonly failures: readonly ScoringFailure[];
}) => {
  const { navigation } = useSurroundings();
  return (
    <div class="scroll-x">
      <table class="grid-table" aria-label="Failures">
        <thead>
          <tr>
            <th scope="col" class="number">
              Records
            </th>
            <th scope="col">Failure</th>
            <th scope="col">Message</th>
            <th scope="col">First in</th>
          </tr>
        </thead>
        <tbody>
          {props.failures.map((failure) => (
            <tr key={`${failure.error_code} ${failure.type} ${failure.line ?? ''}`}>
              <td class="number">{printCount(failure.count)}</td>
              <td>
                <RecordedWord text={failureText(failure)} />
              </td>
              <td>
                {failure.message === null ? (
                  <span class="muted">the record changed since</span>
                ) : (
                  <RecordedWord text={faultPlace(failure.message).headline} />
                )}
              </td>
              <td>
                <a href={navigation.href(`/p/${props.projectId}/traces/${failure.trace_id}`)}>
                  trace {failure.trace_id.slice(0, 8)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
