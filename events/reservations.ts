// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { HistoryResourceType } from '../kernel/history-resources.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

const reservationEvents = {
  /**
   * Stream `reservation-<what>-<hash of the name in its scope>`. `holder` is the id of the name's
   * holder.
   */
  NameClaimed: event('entity create', { holder: Type.String() }),
  NameReleased: event('entity delete', { holder: Type.String() }),
};

export const reservationNoun: Noun = {
  stream: {
    name: 'reservation-<what>-<hash>',
    subject: 'reservation',
    erasedWith: 'nothing',
    isTechnical: true,
  },
  events: reservationEvents,
};

export type ReservationEvent = EventOf<typeof reservationEvents>;

/** Resource types of the holders of reservations, by `<what>` in the stream's name. */
export const reservationHolders = {
  organization: 'organization',
  project: 'project',
  'log-stream': 'log_stream',
  experiment: 'experiment',
  dataset: 'dataset',
  'api-key-value': 'api_key',
  email: 'user',
  session: 'session',
  group: 'group',
  invitation: 'user',
  identity: 'user',
  'id-token': 'user',
  'last-admin': 'organization',
  scorer: 'scorer',
  'prompt-template': 'prompt_template',
} as const satisfies Readonly<Record<string, HistoryResourceType>>;
