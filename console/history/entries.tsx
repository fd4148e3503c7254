import type { ComponentChildren } from 'preact';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { RecordedWord } from '../parts/recorded-text.js';
import {
  actorText,
  changeText,
  groupEntries,
  memberChanges,
  recordHistoryPlace,
  type EntryGroup,
  type MemberChange,
} from './model.js';

/** Changes of an entry that a list shows; the open entry shows more. */
const listedChangesMax = 3;
const openChangesMax = 200;

type EntryListProps = {
  readonly entries: readonly HistoryEntry[];
  /** Number of the open entry; null: none. */
  readonly open: string | null;
  readonly onOpen: (seq: string | null) => void;
  readonly isStale?: boolean;
  /** Shows entries of this actor or type only; undefined: the list has no filters. */
  readonly onActor?: (id: string) => void;
  readonly onType?: (type: string) => void;
  readonly details?: (entry: HistoryEntry) => ComponentChildren;
};

/** Entries in groups of one correlation; one may be open with all that it has. */
export const EntryList = (props: EntryListProps) => (
  <ol class="entry-groups" aria-label="Entries" aria-busy={props.isStale === true}>
    {groupEntries(props.entries).map((group) => (
      <Group key={group.id} group={group} list={props} />
    ))}
  </ol>
);

const Group = (props: { readonly group: EntryGroup; readonly list: EntryListProps }) => {
  const { entries } = props.group;
  return (
    <li class={entries.length > 1 ? 'entry-group several' : 'entry-group'}>
      {entries.length > 1 && <p class="note">{entries.length} entries of one request</p>}
      <ol>
        {entries.map((entry) => (
          <Entry key={entry.seq} entry={entry} list={props.list} />
        ))}
      </ol>
    </li>
  );
};

const Entry = ({
  entry,
  list,
}: {
  readonly entry: HistoryEntry;
  readonly list: EntryListProps;
}) => {
  const { navigation } = useSurroundings();
  const seq = String(entry.seq);
  const isOpen = list.open === seq;
  const place = recordHistoryPlace(entry);
  const changes = memberChanges(entry.before, entry.after);
  return (
    <li class={isOpen ? 'entry open' : 'entry'} id={`entry-${seq}`}>
      <div class="entry-line">
        <Instant at={entry.at} />
        <span class="entry-who">
          {list.onActor === undefined || entry.actor.type === 'system' ? (
            actorText(entry)
          ) : (
            <FilterLink text={actorText(entry)} onClick={() => list.onActor?.(entry.actor.id)} />
          )}
        </span>
        <span class="entry-type">
          {list.onType === undefined ? (
            entry.event_type
          ) : (
            <FilterLink text={entry.event_type} onClick={() => list.onType?.(entry.event_type)} />
          )}
        </span>
        <a href={navigation.href(place.path, place.view)} title={entry.resource.id}>
          {entry.resource.type} {entry.resource.id.slice(0, 8)}
        </a>
        <ChangeList
          changes={changes.slice(0, listedChangesMax)}
          rest={isOpen ? 0 : Math.max(0, changes.length - listedChangesMax)}
          isErased={entry.erased}
        />
        <button
          type="button"
          class="button plain"
          aria-expanded={isOpen}
          title={isOpen ? 'Close' : 'All of this entry'}
          onClick={() => list.onOpen(isOpen ? null : seq)}
        >
          #{seq}
        </button>
      </div>
      {isOpen && (
        <div class="entry-details">
          {list.details?.(entry)}
          <EntryFacts entry={entry} />
          {changes.length > listedChangesMax && (
            <ChangeList
              changes={changes.slice(listedChangesMax, openChangesMax)}
              rest={Math.max(0, changes.length - openChangesMax)}
            />
          )}
        </div>
      )}
    </li>
  );
};

const FilterLink = (props: { readonly text: string; readonly onClick: () => void }) => (
  <button type="button" class="link" title={`Only ${props.text}`} onClick={props.onClick}>
    {props.text}
  </button>
);

/** Members that changed, before and after. */
const ChangeList = (props: {
  readonly changes: readonly MemberChange[];
  /** Number of further changes. */
  readonly rest?: number;
  readonly isErased?: boolean;
}) => (
  <ul class="entry-changes">
    {props.isErased === true && <li class="muted">its content was erased</li>}
    {props.changes.map((change) => (
      <li key={change.path}>
        <span class="muted">
          <RecordedWord text={change.path} />
        </span>{' '}
        {change.isUnchanged || change.before === null || change.after === null ? (
          <RecordedWord text={changeText(change)} />
        ) : (
          <>
            <del>
              <RecordedWord text={change.before} />
            </del>{' '}
            →{' '}
            <ins>
              <RecordedWord text={change.after} />
            </ins>
          </>
        )}
      </li>
    ))}
    {(props.rest ?? 0) > 0 && <li class="muted">{props.rest} more</li>}
  </ul>
);

const EntryFacts = ({ entry }: { readonly entry: HistoryEntry }) => {
  const facts: readonly (readonly [string, string | null])[] = [
    ['time', entry.at],
    ['actor', `${entry.actor.type} ${entry.actor.id} as ${entry.actor.role}`],
    ['thing', `${entry.resource.type} ${entry.resource.id}`],
    ['stream', `${entry.stream} @${entry.revision}`],
    ['position', entry.position],
    ['event', entry.event_id],
    ['request', entry.request_id],
    ['correlation', entry.correlation_id],
    ['caused by', entry.causation_id],
    ['content digest', entry.data_digest],
    ['hash before', entry.prev_hash],
    ['hash', entry.hash],
  ];
  return (
    <dl class="entry-facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="mono">{text === null ? '–' : <RecordedWord text={text} />}</dd>
        </div>
      ))}
    </dl>
  );
};
