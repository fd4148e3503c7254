import { randomUUID } from 'node:crypto';
import type { Reply } from './client.js';
import { sharedApp } from './app.js';

/**
 * A project with one log stream, in the app that all tests share, and functions to fill and read
 * it.
 */
export type RecordedProject = {
  readonly id: string;
  readonly run: string;
  /** Records traces in the log stream; rejects unless they are accepted. */
  readonly log: (traces: readonly object[], members?: object) => Promise<void>;
  /** `POST /v2/projects/{id}/…` with a body, whatever the answer. */
  readonly ask: <T = unknown>(path: string, body?: object) => Promise<Reply<T>>;
  readonly get: <T = unknown>(path: string) => Promise<Reply<T>>;
  readonly post: <T = unknown>(path: string, body: object) => Promise<T>;
};

export const recordedProject = async (): Promise<RecordedProject> => {
  const { client } = await sharedApp();
  const made = await client.call<{ id: string }>('POST', '/v2/projects', {
    body: { name: `reads ${randomUUID()}` },
  });
  const { id } = made.body;
  const at = (path: string) => `/v2/projects/${id}/${path}`;
  const stream = await client.call<{ id: string }>('POST', at('log_streams'), {
    body: { name: 'production' },
  });
  const run = stream.body.id;
  return {
    id,
    run,
    log: async (traces, members = {}) => {
      const body = { log_stream_id: run, traces, ...members };
      await client.call('POST', at('traces'), { body });
    },
    ask: (path, body = {}) => client.send('POST', at(path), { body }),
    get: (path) => client.send('GET', at(path)),
    post: async <T>(path: string, body: object) =>
      (await client.call<T>('POST', at(path), { body })).body,
  };
};

/** The same uuid for the same number. */
export const uuid = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
