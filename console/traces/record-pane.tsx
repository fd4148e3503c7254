import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Instant } from '../client/instants.js';
import { useSurroundings } from '../client/context.js';
import { CopyId } from '../parts/copy-id.js';
import { JsonTree } from '../parts/json-tree.js';
import { RecordedText, RecordedValue, RecordedWord } from '../parts/recorded-text.js';
import { Tabs } from '../parts/tabs.js';
import { ContentView, Disclosure } from './content-view.js';
import { ExpectedView } from './expected-view.js';
import { MetricsTab } from './metrics-tab.js';
import { OtelTab } from './otel-tab.js';
import { errorMessage, recordFigures, type AnyRecord } from './record-facts.js';
import type { SpanTab } from './state.js';

type Props = {
  readonly projectId: string;
  readonly record: AnyRecord;
  readonly tab: SpanTab;
  readonly onTab: (tab: SpanTab) => void;
  readonly answerOf: (callId: string) => ComponentChildren;
  /** Shown below what the record says: the ratings of a trace. */
  readonly children?: ComponentChildren;
};

const tabs = [
  { key: 'read', text: 'Read' },
  { key: 'json', text: 'JSON' },
  { key: 'metrics', text: 'Metrics' },
  { key: 'otel', text: 'OTel' },
  { key: 'about', text: 'About' },
] as const;

const recordedValue = (text: string): ComponentChildren => <RecordedValue text={text} />;

/** One record: its texts, its numbers, and how it was sent. */
export const RecordPane = (props: Props) => {
  const { record, tab } = props;
  return (
    <>
      <div class="pane-head">
        <h2 class="pane-title">
          <span class="tree-kind" data-kind={record.type}>
            {record.type}
          </span>{' '}
          <RecordedWord text={record.name} />
        </h2>
        <p class="note">
          <RecordedWord text={headFacts(record).join(' · ')} />
        </p>
        <Tabs label="Views of the record" tabs={tabs} selected={tab} onSelect={props.onTab} />
      </div>
      <div class="pane-body">
        {tab === 'read' && <RecordReading {...props} />}
        {tab === 'json' && <JsonTree value={record} text={recordedValue} openLevels={2} />}
        {tab === 'metrics' && <MetricsTab record={record} />}
        {tab === 'otel' && <OtelTab projectId={props.projectId} record={record} />}
        {tab === 'about' && <AboutTab record={record} />}
      </div>
    </>
  );
};

const headFacts = (record: AnyRecord): readonly string[] => {
  const { model, temperature, finish_reason: finish } = 'model' in record ? record : {};
  return [
    ...(model == null ? [] : [model]),
    ...(temperature == null ? [] : [`T ${temperature}`]),
    ...(finish == null ? [] : [finish]),
    ...recordFigures(record),
  ];
};

/** A record as it is read: its error, tools, input, events, output, and what was expected. */
export const RecordReading = ({
  record,
  answerOf,
  children,
}: Pick<Props, 'record' | 'children'> & Partial<Pick<Props, 'answerOf'>>) => {
  const [showsRedacted, setShowsRedacted] = useState(false);
  const error = errorMessage(record);
  const { tools, events } = 'tools' in record ? record : {};
  const hasRedacted = record.redacted_input != null || record.redacted_output != null;
  return (
    <div class="stack">
      {error !== null && (
        <div class="notice bad-notice record-error" role="note">
          <span aria-hidden="true">⚠</span> <RecordedText text={error} />
        </div>
      )}
      {hasRedacted && (
        <label class="checkbox">
          <input
            type="checkbox"
            checked={showsRedacted}
            onChange={() => setShowsRedacted(!showsRedacted)}
          />
          Redacted form
        </label>
      )}
      {Array.isArray(tools) && tools.length > 0 && (
        <Disclosure title={tools.length === 1 ? '1 tool' : `${tools.length} tools`}>
          <JsonTree value={tools} text={recordedValue} openLevels={2} />
        </Disclosure>
      )}
      <ContentView
        label="input"
        value={showsRedacted ? record.redacted_input : record.input}
        {...(answerOf !== undefined && { answerOf })}
      />
      {Array.isArray(events) && <Events events={events} />}
      <ContentView
        label="output"
        value={showsRedacted ? record.redacted_output : record.output}
        {...(answerOf !== undefined && { answerOf })}
      />
      {record.dataset_output !== null && (
        <ExpectedView expected={record.dataset_output} output={record.output} />
      )}
      {children}
    </div>
  );
};

/** Reasoning and calls that a model reported, each folded. */
const Events = ({ events }: { readonly events: readonly unknown[] }) => (
  <>
    {events.map((event, index) => (
      <Disclosure key={index} title={eventTitle(event)}>
        <JsonTree value={event} text={recordedValue} openLevels={3} />
      </Disclosure>
    ))}
  </>
);

const eventTitle = (event: unknown): string => {
  const type = (event as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' ? type.replaceAll('_', ' ') : 'event';
};

const AboutTab = ({ record }: { readonly record: AnyRecord }) => {
  const { clipboard } = useSurroundings();
  const ids = { id: record.id, session: record.session_id, trace: record.trace_id };
  const metadata = Object.entries(record.user_metadata);
  return (
    <table class="facts">
      <tbody>
        {Object.entries(ids).map(([name, id]) => (
          <Fact key={name} name={name}>
            {id === null ? '–' : <CopyId id={id} onCopy={clipboard.copy} />}
          </Fact>
        ))}
        <Fact name="external id">
          {record.external_id === null ? '–' : <RecordedWord text={record.external_id} />}
        </Fact>
        <Fact name="began">
          <Instant at={record.created_at} />
        </Fact>
        <Fact name="changed">
          <Instant at={record.updated_at} />
        </Fact>
        <Fact name="status">{record.status_code ?? '–'}</Fact>
        <Fact name="tags">
          {record.tags.length === 0 ? '–' : <RecordedWord text={record.tags.join(', ')} />}
        </Fact>
        {metadata.map(([key, value]) => (
          <tr key={key}>
            <th scope="row">
              <RecordedWord text={key} />
            </th>
            <td>
              <RecordedText text={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const Fact = (props: { readonly name: string; readonly children: ComponentChildren }) => (
  <tr>
    <th scope="row">{props.name}</th>
    <td>{props.children}</td>
  </tr>
);
