import type { Document, DocumentWrite } from '../../kernel/documents.js';
import type { ChainName } from '../../kernel/history/entries.js';
import type { Envelope, StreamName } from '../../kernel/ports.js';
import { chainOf, declaredChain, chainEvidenceStreams } from './chain-membership.js';
import { streamFactsKey, streamFactsScope } from './collection.js';
import {
  entrySubject,
  subjectStreamOf,
  type EntrySubject,
  type HistoryEvent,
} from './entry-subject.js';
import type { StreamSubject } from './entry-subject.js';

/** What is remembered of a stream, all of it from its first event. */
type StreamFacts = {
  readonly listed: StreamSubject | null;
  readonly chain: ChainName | null;
};

/** Where an event belongs and what it is listed by. */
export type ClassifiedEntry = EntrySubject & { readonly chain: ChainName };

/** Keys of what has to be loaded before these events are placed. */
export const classifierKeys = (events: readonly HistoryEvent[]): readonly string[] => {
  const names = new Set<StreamName>();
  for (const one of events) {
    const remembered = subjectStreamOf(one);
    if (remembered !== null) names.add(remembered);
    if (declaredChain(one.envelope) === null)
      for (const name of chainEvidenceStreams(one)) names.add(name);
  }
  return [...names].map(streamFactsKey);
};

/** Places events in log order; what first events say is remembered for later ones. */
type EntryClassifier = {
  readonly classify: (seen: HistoryEvent) => ClassifiedEntry;
  readonly writes: () => readonly DocumentWrite[];
};

export const openEntryClassifier = (loaded: ReadonlyMap<string, Document>): EntryClassifier => {
  const changed = new Map<string, StreamFacts>();
  const known = (name: StreamName): StreamFacts | null => {
    const key = streamFactsKey(name);
    return changed.get(key) ?? (loaded.get(key)?.body as StreamFacts | undefined) ?? null;
  };
  return {
    classify: (seen) => {
      const { envelope } = seen;
      const chain = chainOf(seen, (name) => known(name)?.chain ?? null);
      const remembered = subjectStreamOf(seen);
      const place = remembered === null ? null : (known(remembered)?.listed ?? null);
      const { resource, projectId, technical } = entrySubject(seen, chain, place);
      const placed: ClassifiedEntry = { resource, projectId, technical, chain };
      const first = envelope.revision === 0 ? streamFactsOf(envelope, remembered, placed) : null;
      if (first !== null) changed.set(streamFactsKey(envelope.stream), first);
      return placed;
    },
    writes: () =>
      [...changed].map(([key, body]) => ({
        key,
        document: { key, scope: streamFactsScope, fields: {}, body },
      })),
  };
};

/** Null: nobody will ask about the stream. */
const streamFactsOf = (
  envelope: Envelope,
  remembered: StreamName | null,
  { resource, projectId, technical, chain }: ClassifiedEntry,
): StreamFacts | null => {
  const isAsked = remembered === envelope.stream;
  // Of records and of what is technical the actor or the project knows it.
  const isWitness =
    declaredChain(envelope) === null &&
    !technical &&
    resource.type !== 'trace' &&
    resource.type !== 'session';
  if (!isAsked && !isWitness) return null;
  return { listed: isAsked ? { resource, projectId } : null, chain: isWitness ? chain : null };
};
