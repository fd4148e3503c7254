import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { useKeys } from '../client/keys.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { JsonTree } from '../parts/json-tree.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { RecordedValue } from '../parts/recorded-text.js';
import { EntryList } from './entries.js';
import { entryIndexAt, nextOpen, thingPlace } from './model.js';
import { ProofPanel, ProveButton } from './proof-panel.js';
import { useRecordEntries, useRecordState, type HistorySubject } from './questions.js';
import { recordHistoryCodec, type RecordHistoryView } from './state.js';

/** The history of one thing, and the thing as it was after any of its entries. */
export const Page = ({ params }: PageProps) => {
  const { navigation } = useSurroundings();
  const subject = { type: params['resource'] ?? '', id: params['id'] ?? '' };
  const [view, change] = useView(recordHistoryCodec);
  const [pages, setPages] = useState(1);
  const history = useRecordEntries(subject, view, pages);
  const { entries = [], hasMore = false } = history.value ?? {};
  const index = entryIndexAt(entries, view.at);
  const stepTo = (to: number): void => {
    const entry = entries[Math.max(0, Math.min(entries.length - 1, to))];
    if (entry !== undefined) change({ at: entry.position }, 'replace');
  };
  const open = (by: number): void => change({ sel: nextOpen(entries, view.sel, by) }, 'replace');
  useKeys(
    [
      { keys: 'ArrowLeft', what: 'As it was an entry before', run: () => stepTo(index - 1) },
      { keys: 'ArrowRight', what: 'As it was an entry later', run: () => stepTo(index + 1) },
      { keys: 'j', what: 'Next entry', run: () => open(1) },
      { keys: 'k', what: 'Entry before', run: () => open(-1) },
      { keys: 'Escape', what: 'As it is', run: () => change({ at: null, sel: null }, 'replace') },
    ],
    [entries, index, view.sel],
  );
  const place = thingPlace(subject.type, subject.id, entries[0]?.project_id ?? null);
  return (
    <>
      <PageHeading title={`History of ${subject.type.replaceAll('_', ' ')}`}>
        <span class="mono">{subject.id}</span>
        {place !== null && <a href={navigation.href(place.path)}>{place.text}</a>}
      </PageHeading>
      <FaultNotice fault={history.fault} onRetry={history.refetch} />
      <BehindNotice isBehind={history.isBehind} />
      {history.isLoading && <Skeleton />}
      {entries.length > 0 && (
        <Steps entries={entries} index={index} at={view.at} onStep={stepTo}>
          {view.at !== null && (
            <Button onClick={() => change({ at: null }, 'replace')}>As it is</Button>
          )}
        </Steps>
      )}
      {view.at !== null && <AsItWas subject={subject} view={view} />}
      <EntryList
        entries={entries}
        open={view.sel}
        isStale={history.isPrevious}
        onOpen={(sel) => change({ sel }, 'replace')}
        details={(entry) => (
          <>
            <div class="inline">
              <Button onClick={() => change({ at: entry.position })}>As it was then</Button>
              <ProveButton prove={view.prove} onChange={(prove) => change({ prove })} />
            </div>
            {view.prove === 'on' && <ProofPanel entry={entry} />}
          </>
        )}
      />
      {hasMore && <Button onClick={() => setPages(pages + 1)}>Later entries</Button>}
    </>
  );
};

type StepsProps = {
  readonly entries: readonly HistoryEntry[];
  readonly index: number;
  readonly at: string | null;
  readonly onStep: (index: number) => void;
  readonly children: ComponentChildren;
};

/** A slider over the entries, with buttons for one step. */
const Steps = ({ entries, index, at, onStep, children }: StepsProps) => {
  const entry = entries[index];
  const place = `entry ${index + 1} of ${entries.length}`;
  const what = entry === undefined ? 'before the first entry' : `${place}: ${entry.event_type}`;
  return (
    <div class="history-steps">
      <Button label="An entry earlier" isDisabled={index <= 0} onClick={() => onStep(index - 1)}>
        ←
      </Button>
      <input
        type="range"
        aria-label="As it was after the entry"
        aria-valuetext={what}
        min={0}
        max={Math.max(1, entries.length - 1)}
        value={Math.max(0, index)}
        disabled={entries.length < 2}
        onInput={(event) => onStep(Number(event.currentTarget.value))}
      />
      <Button
        label="An entry later"
        isDisabled={index >= entries.length - 1}
        onClick={() => onStep(index + 1)}
      >
        →
      </Button>
      <span>{at === null ? 'as it is' : what}</span>
      {children}
    </div>
  );
};

/** The state at a time, which cannot be edited. */
const AsItWas = (props: { readonly subject: HistorySubject; readonly view: RecordHistoryView }) => {
  const { navigation } = useSurroundings();
  const { subject, view } = props;
  const at = view.at ?? '';
  const state = useRecordState(subject, view);
  const isPosition = /^[0-9a-f]{16}$/.test(at);
  return (
    <section class="as-it-was" aria-label="As it was" aria-busy={state.isPrevious}>
      <div class="spread">
        <strong>
          As it was at {isPosition ? <span class="mono">{at}</span> : <Instant at={at} />},
          read-only
        </strong>
        {subject.type === 'dataset' && (
          <a href={navigation.href(`/datasets/${subject.id}`, `at=${at}`)}>Its rows then</a>
        )}
      </div>
      <FaultNotice fault={state.fault} onRetry={state.refetch} />
      {state.isLoading && <Skeleton rows={3} />}
      {state.value === null && (
        <EmptyNotice title="It did not exist then, or was deleted or erased" />
      )}
      {state.value !== null && state.value !== undefined && (
        <JsonTree
          value={state.value}
          text={(text) => <RecordedValue text={text} />}
          openLevels={2}
        />
      )}
    </section>
  );
};
