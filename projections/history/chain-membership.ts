import { systemChain, type ChainName } from '../../kernel/history/entries.js';
import { streamNameOf, type Envelope, type StreamName } from '../../kernel/ports.js';
import { durableData, projectInName, type HistoryEvent } from './entry-subject.js';

/** Names that organisations share would tell one of another; the rest is the service's own. */
const systemPrefixes: readonly string[] = [
  'reservation-email-',
  'reservation-organization-',
  'reservation-identity-',
  'reservation-id-token-',
  'reservation-api-key-value-',
  'reservation-invitation-',
  'operations-',
  'seals-system-',
];
/** Most names are none of these, and their first letter says so. */
const systemLetters = new Set(systemPrefixes.map((prefix) => prefix[0]));

const isSystemStream = (name: StreamName): boolean =>
  systemLetters.has(name[0]) && systemPrefixes.some((prefix) => name.startsWith(prefix));

/** Null where the event itself does not say it: it is from before events did. */
export const declaredChain = ({ stream: name, metadata }: Envelope): ChainName | null => {
  if (isSystemStream(name)) return systemChain;
  const said = metadata.organization_id;
  return said === undefined ? null : (said ?? systemChain);
};

/** Streams whose first events say whose an unsaid event is, the first that is known counts. */
export const chainEvidenceStreams = (seen: HistoryEvent): readonly StreamName[] => {
  const { stream: name, metadata } = seen.envelope;
  const { actor } = metadata;
  const project = projectInName(seen);
  return [
    name,
    ...(actor.type === 'service'
      ? []
      : [streamNameOf(actor.type === 'user' ? 'user' : 'api-key', actor.id)]),
    ...(project === null ? [] : [streamNameOf('project', project)]),
  ];
};

/**
 * The one chain that the event belongs to. It follows from the envelope, from data that is never
 * erased and from what `chainKnown` says of streams, so a rebuild finds the same one.
 */
export const chainOf = (
  seen: HistoryEvent,
  chainKnown: (name: StreamName) => ChainName | null,
): ChainName => {
  const { envelope } = seen;
  const said = declaredChain(envelope);
  if (said !== null) return said;
  const inData = durableData(seen)['organization_id'];
  if (typeof inData === 'string') return inData;
  for (const name of chainEvidenceStreams(seen)) {
    const known = chainKnown(name);
    if (known !== null) return known;
  }
  return systemChain;
};
