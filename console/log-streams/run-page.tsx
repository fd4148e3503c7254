import { useState } from 'preact/hooks';
import type { LogStream } from '../../clients/typescript/src/generated/log-streams-types.js';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
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
  const rename = useProjectPermit(stream.project_id, 'editor');
  const remove = useProjectPermit(stream.project_id, 'owner');
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
        <Button permit={rename} onClick={() => setOpen('rename')}>
          Rename…
        </Button>
        <Button look="danger" permit={remove} onClick={() => setOpen('delete')}>
          Delete…
        </Button>
      </span>
      {open === 'rename' && <RenameLogStream stream={stream} permit={rename} onClose={close} />}
      {open === 'delete' && <DeleteLogStream stream={stream} permit={remove} onClose={close} />}
    </>
  );
};

const Sections = (ids: RunIds) => {
  const { jobs, everyMs } = useJobs(ids);
  const scorers = useRunScorers(ids, everyMs);
  const permit = useProjectPermit(ids.projectId, 'editor');
  useKeys([{ keys: '.', what: 'Ask now', run: jobs.refetch }], []);
  return (
    <>
      <RunScorers ids={ids} query={scorers} permit={permit} />
      <Insights ids={ids} permit={permit} />
      <PastScoring ids={ids} runScorers={scorers.value} jobs={jobs.value} permit={permit} />
      <JobTable jobs={jobs} isLive={everyMs !== false} />
    </>
  );
};
