import { randomUUID } from 'node:crypto';
import type { Client, Reply } from './client.js';

export type RatingResult = {
  readonly operation: string;
  readonly success: boolean;
  readonly message: string;
  readonly selector: string;
  readonly index: number;
  readonly trace: string;
};
export type View = { readonly id: string; readonly [member: string]: unknown };

/** A project with one log stream, and functions to log traces and rate them. */
export type RatedProject = {
  readonly id: string;
  readonly run: string;
  /** Below the project. */
  readonly at: (rest: string) => string;
  /** Ids of the created objects. */
  readonly template: (constraints: object) => Promise<string>;
  readonly trace: (members?: object) => Promise<string>;
  readonly bulk: (
    operations: readonly object[],
    traces: readonly string[],
    by?: Client,
  ) => Promise<Reply<RatingResult[]>>;
  readonly messages: (
    operations: readonly object[],
    traces: readonly string[],
  ) => Promise<readonly string[]>;
  readonly read: (trace: string) => Promise<View>;
};

export const ratedProject = async (client: Client): Promise<RatedProject> => {
  const name = `ratings ${randomUUID()}`;
  const { id } = (await client.call<View>('POST', '/v2/projects', { body: { name } })).body;
  const at = (rest: string) => `/v2/projects/${id}${rest}`;
  const make = async (rest: string, body: object): Promise<string> =>
    (await client.call<View>('POST', at(rest), { body })).body.id;
  const run = await make('/log_streams', { name: 'run' });
  const bulk: RatedProject['bulk'] = (operations, traces, by = client) =>
    by.send('POST', at('/annotation/ratings'), {
      body: { operations, selector: { selector_type: 'traces', traces } },
    });
  return {
    id,
    run,
    at,
    template: (constraints) => make('/annotation/templates', { name: randomUUID(), constraints }),
    trace: async (members = {}) => {
      const trace = randomUUID();
      const traces = [{ id: trace, input: 'a', spans: [{ type: 'tool', input: 'x' }] }];
      const body = { log_stream_id: run, traces, ...members };
      await client.call('POST', at('/traces'), { body });
      return trace;
    },
    bulk,
    messages: async (operations, traces) =>
      (await bulk(operations, traces)).body.map(({ message }) => message),
    read: async (trace) => (await client.call<View>('GET', at(`/traces/${trace}`))).body,
  };
};

export const create = (template: string, rating: object, more: object = {}) => ({
  operation_type: 'create',
  annotation_template_id: template,
  rating,
  ...more,
});
export const withdraw = (template: string) => ({
  operation_type: 'delete',
  annotation_template_id: template,
});
export const like = { annotation_type: 'like_dislike', value: true };
