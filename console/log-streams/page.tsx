import { useState } from 'preact/hooks';
import type { LogStream } from '../../clients/typescript/src/generated/log-streams-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { NamedList } from '../client/named-list.js';
import { useProjectPermit } from '../client/project.js';
import { useView } from '../client/view.js';
import { EmptyNotice } from '../parts/notice.js';
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
  const permit = useProjectPermit(projectId, 'editor');
  const rows = streams.value?.log_streams ?? [];
  return (
    <NamedList
      title="Log streams"
      noun="log stream"
      permit={permit}
      list={streams}
      find={find}
      onFind={(text) => change({ find: text }, 'replace')}
      onCreate={() => setIsCreating(true)}
    >
      {streams.value !== undefined && rows.length === 0 && <NoLogStream isFiltered={find !== ''} />}
      {rows.length > 0 && (
        <LogStreamTable projectId={projectId} rows={rows} isStale={streams.isPrevious} />
      )}
      {streams.value?.next_starting_token != null && (
        <p class="note">The first {logStreamsMax} log streams are shown. Find others by name.</p>
      )}
      {isCreating && (
        <NewLogStream projectId={projectId} permit={permit} onClose={() => setIsCreating(false)} />
      )}
    </NamedList>
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
