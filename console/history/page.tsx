import { useState } from 'preact/hooks';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useProject } from '../client/project.js';
import { useCaller, type Query } from '../client/queries.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Checkbox, Select, TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { printCount } from '../parts/numbers.js';
import { auditPermit, projectAuditPermit, type Permit } from '../parts/permits.js';
import { RangePicker } from '../parts/range-picker.js';
import { Tabs } from '../parts/tabs.js';
import { ErasureCertificate } from './certificate.js';
import { EntryList } from './entries.js';
import { historyResources } from '../../kernel/history-resources.js';
import { certifiedDeletion, nextOpen } from './model.js';
import { ProofPanel, ProveButton } from './proof-panel.js';
import { LinkedEntry } from './linked-entry.js';
import { usePeople } from './names.js';
import { useTimeline, type AuditPermit, type Entries } from './questions.js';
import { SealLine } from './seal-line.js';
import { timelineCodec, type TimelineView } from './state.js';
import { WholeHistory } from './whole-history.js';

/** Timeline: who changed what, of a project or of the organisation. */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? null;
  const { value: caller } = useCaller();
  const project = useProject(projectId);
  const whole = auditPermit(caller);
  const permit = projectId === null ? whole : projectAuditPermit(caller, project.value);
  if (permit.isAllowed) return <Histories permit={permit} whole={whole} projectId={projectId} />;
  return (
    <>
      <PageHeading title="History" />
      <FaultNotice fault={project.fault} onRetry={project.refetch} />
      {permit.reason === null ? project.fault === null && <Skeleton /> : <NotYours {...permit} />}
    </>
  );
};

const NotYours = ({ reason }: Pick<AuditPermit, 'reason'>) => (
  <EmptyNotice title="Not shared with you">
    <p>{reason}.</p>
    <p>
      The history of a project is for its owners; that of the organisation for admins and auditors.
    </p>
  </EmptyNotice>
);

type Props = {
  readonly permit: AuditPermit;
  /** For the history of the organisation. */
  readonly whole: Permit<'audit-org'>;
  readonly projectId: string | null;
};

/** The timeline, the check of the whole and certificates, for a caller who may read them. */
const Histories = ({ permit, whole, projectId }: Props) => {
  const { navigation } = useSurroundings();
  const [view, change] = useView(timelineCodec);
  const [pages, setPages] = useState(1);
  const timeline = useTimeline(permit, projectId, view, pages);
  const { entries = [], head = null } = timeline.value ?? {};
  const step = (by: number): void => change({ sel: nextOpen(entries, view.sel, by) }, 'replace');
  useKeys(
    [
      { keys: 'j', what: 'Next entry', run: () => step(1) },
      { keys: 'k', what: 'Entry before', run: () => step(-1) },
      { keys: 'Escape', what: 'Close the entry', run: () => change({ sel: null }, 'replace') },
    ],
    [entries, view.sel],
  );
  return (
    <>
      <PageHeading title="History">
        {head !== null && <span class="note">{printCount(head.seq)} entries in all</span>}
        {projectId !== null && whole.isAllowed && (
          <a href={navigation.href('/history')}>Whole organisation</a>
        )}
      </PageHeading>
      {projectId === null && timeline.fault === null && <SealLine permit={whole} />}
      <Tabs
        label="History"
        tabs={tabs.filter(({ key }) => key !== 'erasure' || projectId === null)}
        selected={view.tab}
        onSelect={(tab) => change({ tab, sel: null })}
      />
      {view.tab === 'whole' && <WholeHistory permit={permit} projectId={projectId} />}
      {view.tab === 'erasure' && projectId === null && (
        <ErasureCertificate
          permit={whole}
          cert={view.cert}
          onChange={(cert) => change({ cert }, 'replace')}
        />
      )}
      {view.tab === 'timeline' && (
        <Timeline
          permit={permit}
          projectId={projectId}
          view={view}
          onChange={change}
          timeline={timeline}
          onMore={() => setPages(pages + 1)}
        />
      )}
    </>
  );
};

const tabs = [
  { key: 'timeline', text: 'Timeline' },
  { key: 'whole', text: 'Whole history' },
  { key: 'erasure', text: 'Erasure' },
] as const;

type TimelineProps = FiltersProps & {
  readonly permit: AuditPermit;
  readonly timeline: Query<Entries>;
  readonly onMore: () => void;
};

const Timeline = ({ permit, timeline, onMore, ...filters }: TimelineProps) => {
  const { view, onChange: change } = filters;
  const { entries = [], hasMore = false } = timeline.value ?? {};
  const usual = { t: '30d', sel: null, prove: 'off', cert: '' } as const;
  const isFiltered = timelineCodec.write({ ...view, ...usual }) !== '';
  const list = {
    open: view.sel,
    onOpen: (sel: string | null) => change({ sel }, 'replace'),
    onActor: (id: string) => change({ who: [id] }),
    onType: (type: string) => change({ type: [...new Set([...(view.type ?? []), type])] }),
    details: (entry: HistoryEntry) => (
      <>
        <div class="inline">
          <ProveButton prove={view.prove} onChange={(prove) => change({ prove })} />
          {filters.projectId === null && <CertificateLink entry={entry} onChange={change} />}
        </div>
        {view.prove === 'on' && <ProofPanel entry={entry} />}
      </>
    ),
  };
  return (
    <>
      <Filters {...filters} />
      <FaultNotice fault={timeline.fault} onRetry={timeline.refetch} />
      <BehindNotice isBehind={timeline.isBehind} />
      {timeline.isLoading && <Skeleton />}
      {timeline.value !== undefined && entries.length === 0 && (
        <EmptyNotice title="No entry">
          <p>
            {isFiltered ? 'Nothing in this range has these filters.' : 'Nothing in this range.'}
          </p>
          {view.t !== 'all' && <Button onClick={() => change({ t: 'all' })}>All time</Button>}
        </EmptyNotice>
      )}
      {timeline.value !== undefined && !timeline.isPrevious && (
        <LinkedEntry
          permit={permit}
          projectId={filters.projectId}
          sel={view.sel}
          entries={entries}
          list={list}
        />
      )}
      <EntryList entries={entries} isStale={timeline.isPrevious} {...list} />
      {hasMore && (
        <Button isDisabled={timeline.isFetching} onClick={onMore}>
          {timeline.isFetching ? 'Reading…' : 'Older entries'}
        </Button>
      )}
    </>
  );
};

/** Leads from an entry of an erasure to its certificate. */
const CertificateLink = (props: {
  readonly entry: HistoryEntry;
  readonly onChange: FiltersProps['onChange'];
}) => {
  const cert = certifiedDeletion(props.entry);
  if (cert === null) return null;
  return (
    <Button onClick={() => props.onChange({ tab: 'erasure', cert, sel: null })}>Certificate</Button>
  );
};

type FiltersProps = {
  readonly projectId: string | null;
  readonly view: TimelineView;
  readonly onChange: (change: Partial<TimelineView>, how?: 'push' | 'replace') => void;
};

const Filters = ({ view, onChange }: FiltersProps) => (
  <div class="history-filters">
    <RangePicker range={view.t} onChange={(t) => onChange({ t })} />
    <WhoFilter view={view} onChange={onChange} />
    <Select
      label="Thing"
      value={view.kind?.[0] ?? ''}
      choices={[
        { value: '', text: 'any' },
        ...historyResources.map((value) => ({ value, text: value.replaceAll('_', ' ') })),
      ]}
      onChange={(kind) => onChange({ kind: kind === '' ? null : [kind] })}
    />
    <TypeField onAdd={(type) => onChange({ type: [...new Set([...(view.type ?? []), type])] })} />
    <Checkbox
      label="Show the service’s own housekeeping"
      title="Reservations of names, queues, stored answers, token rotations and seals too"
      isChecked={view.technical === 'on'}
      onChange={(isOn) => onChange({ technical: isOn ? 'on' : 'off' })}
    />
    {(view.type ?? []).map((type) => (
      <Button
        key={type}
        label={`Without the filter ${type}`}
        onClick={() => {
          const rest = (view.type ?? []).filter((one) => one !== type);
          onChange({ type: rest.length === 0 ? null : rest });
        }}
      >
        {type} ×
      </Button>
    ))}
  </div>
);

const WhoFilter = ({ view, onChange }: Omit<FiltersProps, 'projectId'>) => {
  const people = usePeople();
  const chosen = view.who?.[0] ?? '';
  const known = (people.value?.users ?? []).map(({ id, email }) => ({ value: id, text: email }));
  const other = { value: chosen, text: `key or person ${chosen.slice(0, 8)}…` };
  const isOther = chosen !== '' && !known.some(({ value }) => value === chosen);
  return (
    <Select
      label="Who"
      value={chosen}
      choices={[{ value: '', text: 'anyone' }, ...known, ...(isOther ? [other] : [])]}
      onChange={(id) => onChange({ who: id === '' ? null : [id] })}
    />
  );
};
const TypeField = (props: { readonly onAdd: (type: string) => void }) => {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') props.onAdd(text.trim());
        setText('');
      }}
    >
      <TextField label="Event type" placeholder="RatingGiven" value={text} onInput={setText} />
    </form>
  );
};
