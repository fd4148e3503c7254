import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { useSurroundings } from '../client/context.js';
import { Instant } from '../client/instants.js';
import { RecordedWord } from '../parts/recorded-text.js';
import {
  actorText,
  actorTitle,
  eventWords,
  groupWords,
  lineChanges,
  thingText,
} from './entry-words.js';
import {
  changeText,
  groupEntries,
  memberChanges,
  recordHistoryPlace,
  type EntryGroup,
  type EntryNames,
  type MemberChange,
} from './model.js';
import { useNames } from './names.js';

/** Changes that a line names; the open entry shows all. */
const listedChangesMax = 2;
const openChangesMax = 200;

export type EntryListProps = {
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

/**
 * Entries, a line each; those of one request are one line, which opens. One entry may be open with
 * all that it has.
 */
export const EntryList = (props: EntryListProps) => {
  const names = useNames(props.entries);
  return (
    <ol class="entry-groups" aria-label="Entries" aria-busy={props.isStale === true}>
      {groupEntries(props.entries).map((group) => (
        <Group key={group.id} group={group} list={props} names={names} />
      ))}
    </ol>
  );
};

type RowProps = { readonly list: EntryListProps; readonly names: EntryNames };

const Group = ({ group, ...row }: RowProps & { readonly group: EntryGroup }) => {
  const [isUnfolded, setIsUnfolded] = useState(false);
  const { entries } = group;
  const [newest] = entries;
  if (newest === undefined) return null;
  const isOpen = isUnfolded || entries.some(({ seq }) => String(seq) === row.list.open);
  const rows = entries.map((entry) => <Entry key={entry.seq} entry={entry} {...row} />);
  if (entries.length === 1) {
    return (
      <li class="entry-group">
        <ol>{rows}</ol>
      </li>
    );
  }
  const isOneThing = entries.every(({ resource }) => resource.id === newest.resource.id);
  return (
    <li class="entry-group several">
      <div class="entry-line">
        <Instant at={newest.at} />
        <Who entry={newest} {...row} />
        <span class="entry-type">{groupWords(entries.map(({ event_type: type }) => type))}</span>
        {isOneThing ? <Thing entry={newest} names={row.names} /> : <span />}
        <span class="muted">one request</span>
        <button
          type="button"
          class="button plain"
          aria-expanded={isOpen}
          onClick={() => {
            setIsUnfolded(!isOpen);
            if (isOpen) row.list.onOpen(null);
          }}
        >
          {entries.length} entries
        </button>
      </div>
      {isOpen && <ol>{rows}</ol>}
    </li>
  );
};

const Entry = ({ entry, list, names }: RowProps & { readonly entry: HistoryEntry }) => {
  const seq = String(entry.seq);
  const isOpen = list.open === seq;
  const changes = lineChanges(entry, names);
  const type = entry.event_type;
  const { onType } = list;
  const row = useRef<HTMLLIElement>(null);
  // A link and the keys arrive at the entry, wherever the list was scrolled to.
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li ref={row} class={isOpen ? 'entry open' : 'entry'} id={`entry-${seq}`}>
      <div class="entry-line">
        <Instant at={entry.at} />
        <Who entry={entry} list={list} names={names} />
        <span class="entry-type" title={type}>
          {onType === undefined ? (
            eventWords(type)
          ) : (
            <FilterLink text={eventWords(type)} title={type} onClick={() => onType(type)} />
          )}
        </span>
        <Thing entry={entry} names={names} />
        <ChangeList
          changes={changes.slice(0, listedChangesMax)}
          rest={Math.max(0, changes.length - listedChangesMax)}
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
        <Details entry={entry} names={names}>
          {list.details?.(entry)}
        </Details>
      )}
    </li>
  );
};

const Details = (props: {
  readonly entry: HistoryEntry;
  readonly names: EntryNames;
  readonly children: ComponentChildren;
}) => {
  const changes = memberChanges(props.entry.before, props.entry.after, props.names);
  return (
    <div class="entry-details">
      {props.children}
      <EntryFacts entry={props.entry} />
      {changes.length > 0 && (
        <ChangeList
          changes={changes.slice(0, openChangesMax)}
          rest={Math.max(0, changes.length - openChangesMax)}
        />
      )}
    </div>
  );
};

const Who = ({ entry, list, names }: RowProps & { readonly entry: HistoryEntry }) => {
  const text = actorText(entry, names);
  const title = actorTitle(entry);
  const { onActor } = list;
  return (
    <span class="entry-who" title={title}>
      {onActor === undefined || entry.actor.type === 'system' ? (
        <RecordedWord text={text} />
      ) : (
        <FilterLink text={text} title={title} onClick={() => onActor(entry.actor.id)} />
      )}
    </span>
  );
};

const Thing = (props: { readonly entry: HistoryEntry; readonly names: EntryNames }) => {
  const { navigation } = useSurroundings();
  const place = recordHistoryPlace(props.entry);
  const { kind, name } = thingText(props.entry, props.names);
  return (
    <a
      class="entry-thing"
      href={navigation.href(place.path, place.view)}
      title={props.entry.resource.id}
    >
      {kind} <RecordedWord text={name} />
    </a>
  );
};

const FilterLink = (props: {
  readonly text: string;
  /** The exact value that the filter takes. */
  readonly title: string;
  readonly onClick: () => void;
}) => (
  <button type="button" class="link" title={`${props.title}: only these`} onClick={props.onClick}>
    <RecordedWord text={props.text} />
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
    ['event type', entry.event_type],
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
