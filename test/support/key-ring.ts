import { expect } from 'chai';
import { appPassword, type App } from './app.js';
import { clientOf, type Client, type Reply } from './client.js';

export type KeyAnswer = {
  readonly id: string;
  readonly api_key: string;
  readonly created_by: string;
  readonly project_id: string | null;
  readonly project_role: string | null;
  readonly expires_at: string | null;
  readonly [member: string]: unknown;
};

export type KeyRing = {
  /**
   * A key created by `maker`, by default the admin of the first start with their password: keys
   * created by keys are weaker (contract 2.4, rule 5).
   */
  readonly make: (body?: object, maker?: Client) => Promise<KeyAnswer & { readonly as: Client }>;
  readonly project: (name: string) => Promise<string>;
  readonly close: () => void;
};

/** Keys and projects of a test, created over HTTP. */
export const keyRing = (app: App): KeyRing => {
  const person = clientOf({ url: app.url, apiKey: null });
  const password = Buffer.from(`admin@localhost:${appPassword}`).toString('base64');
  const clients: Client[] = [person];
  return {
    make: async (body = {}, maker) => {
      const reply = await (maker ?? person).call<KeyAnswer>('POST', '/v2/users/api_keys', {
        body: { description: 'of a test', ...body },
        ...(maker === undefined && { headers: { Authorization: `Basic ${password}` } }),
      });
      const as = clientOf({ url: app.url, apiKey: reply.body.api_key });
      clients.push(as);
      return { ...reply.body, as };
    },
    project: async (name) => {
      const reply = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
        body: { name },
      });
      return reply.body.id;
    },
    close: () => clients.forEach((client) => client.close()),
  };
};

/** A refusal as contract 1.5 words it. */
export const expectRefused = (reply: Reply<unknown>, status: number, code: string): void => {
  expect(reply.status, JSON.stringify(reply.body)).to.equal(status);
  expect((reply.body as { readonly code?: string }).code).to.equal(code);
};

/** One complaint of a 422 (contract 1.4). */
export const expectInvalid = (
  reply: Reply<unknown>,
  loc: readonly string[],
  type: string,
  msg?: string,
): void => {
  expect(reply.status, JSON.stringify(reply.body)).to.equal(422);
  const { detail } = reply.body as { readonly detail: readonly Record<string, unknown>[] };
  expect(detail).to.have.length(1);
  expect(detail[0]).to.deep.include({ loc, type, ...(msg !== undefined && { msg }) });
};
