import type { Document, DocumentWrite } from '../../kernel/documents.js';
import type { ChainName } from '../chain/entries.js';
import type { Envelope, StreamName } from '../../kernel/ports.js';
import { chainOf, declaredChain, chainEvidenceStreams } from './chain-membership.js';
import { streamFactsKey, streamFactsScope } from '../collection.js';
import {
  entrySubject,
  subjectStreamOf,
  type EntrySubject,
  type HistoryEvent,
} from './entry-subject.js';
import type { StreamSubject } from './entry-subject.js';

/** Facts about a stream that later entries need, all from its first event. */
type StreamFacts = {
  readonly listed: StreamSubject | null;
  readonly chain: ChainName | null;
};

/** An entry's subject and the chain it belongs to. */
export type ClassifiedEntry = EntrySubject & { readonly chain: ChainName };

/** Keys of the documents to load before these events are classified. */
export const classifierKeys = (events: readonly HistoryEvent[]): readonly string[] => {
  const names = new Set<StreamName>();
  for (const one of events) {
    const subjectStream = subjectStreamOf(one);
    if (subjectStream !== null) names.add(subjectStream);
    if (declaredChain(one.envelope) === null)
      for (const name of chainEvidenceStreams(one)) names.add(name);
  }
  return [...names].map(streamFactsKey);
};

/** Classifies events in log order; records facts of first events for later ones. */
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
      const subjectStream = subjectStreamOf(seen);
      const streamSubject = subjectStream === null ? null : (known(subjectStream)?.listed ?? null);
      const { resource, projectId, technical } = entrySubject(seen, chain, streamSubject);
      const entry: ClassifiedEntry = { resource, projectId, technical, chain };
      const first = envelope.revision === 0 ? streamFactsOf(envelope, subjectStream, entry) : null;
      if (first !== null) changed.set(streamFactsKey(envelope.stream), first);
      return entry;
    },
    writes: () =>
      [...changed].map(([key, body]) => ({
        key,
        document: { key, scope: streamFactsScope, fields: {}, body },
      })),
  };
};

/** Null: no later event needs facts about the stream. */
const streamFactsOf = (
  envelope: Envelope,
  subjectStream: StreamName | null,
  { resource, projectId, technical, chain }: ClassifiedEntry,
): StreamFacts | null => {
  const isSubjectStream = subjectStream === envelope.stream;
  // For records and technical streams, the actor or the project determines the chain.
  const isEvidence =
    declaredChain(envelope) === null &&
    !technical &&
    resource.type !== 'trace' &&
    resource.type !== 'session';
  if (!isSubjectStream && !isEvidence) return null;
  return {
    listed: isSubjectStream ? { resource, projectId } : null,
    chain: isEvidence ? chain : null,
  };
};
