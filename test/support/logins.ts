import { expect } from 'chai';
import { appPassword, type App } from './app.js';
import { clientOf, type Client, type Reply } from './client.js';

export type Token = { readonly access_token: string; readonly token_type: string };
/** A login in the form of a browser. */
type LoginResult = { readonly token: string; readonly cookie: string };

export const adminEmail = 'admin@localhost';

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
export const basic = (email: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
});
export const cookie = (value: string) => ({ Cookie: `refresh_token=${value}` });

/** `Set-Cookie` of an answer by its parts; null without one. */
export const cookieOf = (reply: Reply<unknown>): ReadonlyMap<string, string> | null => {
  const [line] = reply.headers['set-cookie'] ?? [];
  if (line === undefined) return null;
  return new Map(
    line.split('; ').map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name, rest.join('=')];
    }),
  );
};

export type LoginClient = {
  /** A client without a credential, with an address of its own. */
  readonly anonymousClient: () => Client;
  readonly logIn: (email?: string, password?: string) => Promise<LoginResult>;
  readonly refresh: (value: string, client?: Client) => Promise<Reply<Token>>;
  /** Status of a request with this bearer token. */
  readonly statusWith: (token: string) => Promise<number>;
  readonly close: () => void;
};

/** Logs in and refreshes over HTTP. */
export const openLoginClient = (app: App): LoginClient => {
  const clients: Client[] = [];
  const anybody = (): Client => {
    const client = clientOf({ url: app.url, apiKey: null });
    clients.push(client);
    return client;
  };
  const one = anybody();
  return {
    anonymousClient: anybody,
    logIn: async (email = adminEmail, password = appPassword) => {
      const reply = await form(one, '/v2/login', { username: email, password });
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      return {
        token: reply.body.access_token,
        cookie: cookieOf(reply)?.get('refresh_token') ?? '',
      };
    },
    refresh: (value, client = one) =>
      client.send<Token>('POST', '/v2/refresh_token', { headers: cookie(value) }),
    statusWith: async (token) =>
      (await one.send('GET', '/v2/projects', { headers: bearer(token) })).status,
    close: () => clients.forEach((client) => client.close()),
  };
};

/** A urlencoded request. */
export const form = (
  client: Client,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply<Token>> =>
  client.send<Token>('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
