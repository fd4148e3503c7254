import { useRef, useState } from 'preact/hooks';
import type { LogStream } from '../../clients/typescript/src/generated/log-streams-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { useRight } from '../experiments/questions.js';
import { Button } from '../parts/button.js';
import { TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { figureOf, printCount } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { personName } from '../people/model.js';
import { NewLogStream } from './name-dialogs.js';
import { logStreamsMax, useLogStreams } from './questions.js';
import { logStreamListCodec } from './state.js';

/** Log streams of a project, with what they hold. */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? '';
  const [{ find }, change] = useView(logStreamListCodec);
  const [isCreating, setIsCreating] = useState(false);
  const streams = useLogStreams(projectId, find);
  const create = useRight(projectId)('create_run');
  const field = useRef<HTMLDivElement | null>(null);
  useKeys(
    [
      { keys: '/', what: 'Find', run: () => field.current?.querySelector('input')?.focus() },
      { keys: 'n', what: 'New log stream', run: () => setIsCreating(create.isAllowed) },
      { keys: '.', what: 'Ask now', run: streams.refetch },
    ],
    [create.isAllowed],
  );
  const rows = streams.value?.log_streams ?? [];
  return (
    <>
      <PageHeading title="Log streams">
        <Button
          look="primary"
          isDisabled={!create.isAllowed}
          title={create.reason}
          onClick={() => setIsCreating(true)}
        >
          New log stream
        </Button>
        <span class="note">{create.reason}</span>
      </PageHeading>
      <div class="log-stream-find" ref={field}>
        <TextField
          label="Find by name"
          type="search"
          value={find}
          onInput={(text) => change({ find: text }, 'replace')}
        />
      </div>
      <FaultNotice fault={streams.fault} onRetry={streams.refetch} />
      <BehindNotice isBehind={streams.isBehind} />
      {streams.isLoading && <Skeleton />}
      {streams.value !== undefined && rows.length === 0 && <NoLogStream isFiltered={find !== ''} />}
      {rows.length > 0 && (
        <LogStreamTable projectId={projectId} rows={rows} isStale={streams.isPrevious} />
      )}
      {streams.value?.next_starting_token != null && (
        <p class="note">The first {logStreamsMax} log streams are shown. Find others by name.</p>
      )}
      {isCreating && <NewLogStream projectId={projectId} onClose={() => setIsCreating(false)} />}
    </>
  );
};

const NoLogStream = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyNotice title="No log stream has this in its name" />
  ) : (
    <EmptyNotice title="No log stream yet">
      <p>A log stream holds the traces of an application as it runs. The first trace makes one.</p>
    </EmptyNotice>
  );

const LogStreamTable = (props: {
  readonly projectId: string;
  readonly rows: readonly LogStream[];
  readonly isStale: boolean;
}) => {
  const { navigation } = useSurroundings();
  return (
    <div class="scroll-x" aria-busy={props.isStale}>
      <table class="grid-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Traces
            </th>
            <th scope="col" class="number">
              Spans
            </th>
            <th scope="col">Made by</th>
            <th scope="col">Made</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((stream) => (
            <tr key={stream.id}>
              <td>
                <a href={navigation.href(`/p/${props.projectId}/runs/${stream.id}`)}>
                  <RecordedWord text={stream.name} />
                </a>
              </td>
              <td class="number">{countText(stream.num_traces)}</td>
              <td class="number">{countText(stream.num_spans)}</td>
              <td>{stream.created_by_user === null ? '–' : personName(stream.created_by_user)}</td>
              <td>
                <Instant at={stream.created_at} relative />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const countText = (count: number | null): string => figureOf(count, printCount, 'not counted').text;
