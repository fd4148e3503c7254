import { stream, type StreamName } from '../../kernel/ports.js';

/**
 * `digest` is derived from the name and its scope, so that no text of a client is part of a
 * stream's name.
 */
export const reservationStream = (
  what:
    | 'organization'
    | 'project'
    | 'log-stream'
    | 'experiment'
    | 'dataset'
    | 'api-key-value'
    | 'email'
    | 'session'
    | 'group'
    | 'invitation'
    | 'identity'
    | 'id-token'
    | 'last-admin'
    | 'scorer',
  digest: string,
): StreamName => stream('reservation', what, digest);
