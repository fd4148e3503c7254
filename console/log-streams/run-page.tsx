import { useState } from 'preact/hooks';
import type { LogStream } from '../../clients/typescript/src/generated/log-streams-types.js';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useRight } from '../experiments/questions.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { markedText } from '../parts/text-pieces.js';
import { Insights } from './insights.js';
import { JobTable } from './job-table.js';
import { DeleteLogStream, RenameLogStream } from './name-dialogs.js';
import { PastScoring } from './past-scoring.js';
import { useJobs, useLogStream, useRunScorers, type RunIds } from './questions.js';
import { RunScorers } from './run-scorers.js';

/** One log stream: what it does by itself. */
export const Page = ({ params }: PageProps) => {
  const ids = { projectId: params['project_id'] ?? '', runId: params['run_id'] ?? '' };
  const stream = useLogStream(ids);
  const { value } = stream;
  return (
    <>
      <PageHeading title={value == null ? 'Log stream' : markedText(value.name)}>
        {value != null && <HeadFacts stream={value} />}
      </PageHeading>
      <FaultNotice fault={stream.fault} onRetry={stream.refetch} />
      <BehindNotice isBehind={stream.isBehind} />
      {stream.isLoading && <Skeleton />}
      {value === null && <EmptyNotice title="Not found, or not shared with you" />}
      {value != null && <Sections {...ids} />}
    </>
  );
};

const HeadFacts = ({ stream }: { readonly stream: LogStream }) => {
  const { navigation } = useSurroundings();
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null);
  const right = useRight(stream.project_id);
  const [rename, remove] = [right('rename_run'), right('delete_run')];
  const close = (): void => setOpen(null);
  return (
    <>
      <a
        href={navigation.href(
          `/p/${stream.project_id}/traces`,
          `t=all&run=log_stream:${stream.id}`,
        )}
      >
        {stream.num_traces === null ? 'Traces' : `${printCount(stream.num_traces)} traces`}
      </a>
      <span class="page-actions inline">
        <Button
          isDisabled={!rename.isAllowed}
          title={rename.reason}
          onClick={() => setOpen('rename')}
        >
          Rename…
        </Button>
        <Button
          look="danger"
          isDisabled={!remove.isAllowed}
          title={remove.reason}
          onClick={() => setOpen('delete')}
        >
          Delete…
        </Button>
      </span>
      {open === 'rename' && <RenameLogStream stream={stream} onClose={close} />}
      {open === 'delete' && <DeleteLogStream stream={stream} onClose={close} />}
    </>
  );
};

const Sections = (ids: RunIds) => {
  const { jobs, everyMs } = useJobs(ids);
  const scorers = useRunScorers(ids, everyMs);
  const edit = useRight(ids.projectId)('create_run');
  useKeys([{ keys: '.', what: 'Ask now', run: jobs.refetch }], []);
  return (
    <>
      <RunScorers ids={ids} query={scorers} right={edit} />
      <Insights ids={ids} right={edit} />
      <PastScoring ids={ids} runScorers={scorers.value} jobs={jobs.value} right={edit} />
      <JobTable jobs={jobs} isLive={everyMs !== false} />
    </>
  );
};
