import { systemChain, type ChainName } from '../chain/entries.js';
import { streamNameOf, type Envelope, type StreamName } from '../../kernel/ports.js';
import { durableData, projectInName, type HistoryEvent } from './entry-subject.js';

/**
 * Streams of the service's own chain: reservation names, which are shared by organisations and
 * would disclose one to another, and the service's own streams.
 */
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
/** Fast path: most stream names differ from all prefixes in their first letter. */
const systemLetters = new Set(systemPrefixes.map((prefix) => prefix[0]));

const isSystemStream = (name: StreamName): boolean =>
  systemLetters.has(name[0]) && systemPrefixes.some((prefix) => name.startsWith(prefix));

/** Chain that the event itself states; null for events older than the member. */
export const declaredChain = ({ stream: name, metadata }: Envelope): ChainName | null => {
  if (isSystemStream(name)) return systemChain;
  const said = metadata.organization_id;
  return said === undefined ? null : (said ?? systemChain);
};

/**
 * Streams whose first events determine the chain of an event that does not state it; the first
 * known one counts.
 */
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
 * The one chain that the event belongs to. Derived from the envelope, from data that is never
 * erased and from what `chainKnown` says of streams, so a rebuild gives the same one.
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
