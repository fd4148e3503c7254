import { stream, type StreamName } from '../../kernel/ports.js';

/** Names of the streams that decide; an id in a name is lower-case. */
export const organizationStream = (id: string): StreamName => stream('organization', id);
export const userStream = (id: string): StreamName => stream('user', id);
export const apiKeyStream = (id: string): StreamName => stream('api-key', id);
export const projectStream = (id: string): StreamName => stream('project', id);
export const runStream = (id: string): StreamName => stream('run', id);

/**
 * `digest` is derived from the name and its scope, so that no text of a client is part of a
 * stream's name.
 */
export const reservationStream = (
  what: 'organization' | 'project' | 'log-stream' | 'api-key-value' | 'email' | 'session',
  digest: string,
): StreamName => stream('reservation', what, digest);
