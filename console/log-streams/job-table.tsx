import type { Job } from '../../clients/typescript/src/generated/jobs-types.js';
import { Instant } from '../client/instants.js';
import type { Query } from '../client/queries.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { countsText, jobText, reasonsText } from './model.js';

/** Jobs of a run, newest first. */
export const JobTable = (props: {
  readonly jobs: Query<readonly Job[]>;
  /** True while one has work left, so that the list is asked for again. */
  readonly isLive: boolean;
}) => {
  const { jobs } = props;
  return (
    <section class="card stack" aria-labelledby="run-jobs">
      <div class="spread">
        <h2 id="run-jobs">Jobs</h2>
        <span class="note" role="status">
          {props.isLive && 'at work, asked again every 2 s'}
        </span>
      </div>
      <FaultNotice fault={jobs.fault} onRetry={jobs.refetch} />
      <BehindNotice isBehind={jobs.isBehind} />
      {jobs.isLoading && <Skeleton rows={2} />}
      {jobs.value?.length === 0 && <p class="note">No job yet.</p>}
      {jobs.value !== undefined && jobs.value.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="group" aria-label="List of jobs">
          <table class="grid-table" aria-labelledby="run-jobs">
            <thead>
              <tr>
                <th scope="col">Asked for</th>
                <th scope="col">Job</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Progress
                </th>
                <th scope="col">Records</th>
              </tr>
            </thead>
            <tbody>
              {jobs.value.map((job) => (
                <JobRow key={job.id} job={job} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
};

const JobRow = ({ job }: { readonly job: Job }) => {
  const reasons = job.counts === null ? '' : reasonsText(job.counts);
  return (
    <tr>
      <td>
        <Instant at={job.created_at} />
      </td>
      <td>
        <RecordedWord text={jobText(job)} />
      </td>
      <td>{job.status.replace('_', ' ')}</td>
      <td class="number">{job.progress_percent} %</td>
      <td>
        {countsText(job.counts)}
        {reasons !== '' && <span class="bad"> ({reasons})</span>}
        {job.error_message !== null && reasons === '' && (
          <span class="warn">
            {' '}
            <RecordedWord text={job.error_message} />
          </span>
        )}
      </td>
    </tr>
  );
};
