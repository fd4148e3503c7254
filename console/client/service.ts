import { openCall, type ClientPositions } from '../../clients/typescript/src/call.js';
import { isFault } from '../../clients/typescript/src/fault.js';
import { Nouns } from '../../clients/typescript/src/generated/all.js';
import { usualRetries } from '../../clients/typescript/src/retry.js';
import { openSession, type Session } from './session.js';

/** Operations of the service, by noun, as the contract has them. */
export type Operations = Nouns;

/** Answer of a read; `isBehind`: from before this page's last write (contract 1.7). */
export type ReadResult<T> = { readonly value: T; readonly isBehind: boolean };

export type Service = {
  readonly session: Session;
  /** Operations with the login of this tab; reads include this page's writes. */
  readonly api: Operations;
  /**
   * Reads with read-your-writes; where the read model is behind, reads once more without, and says
   * so.
   */
  readonly read: <T>(ask: (operations: Operations) => Promise<T>) => Promise<ReadResult<T>>;
  readonly signIn: (email: string, password: string) => Promise<void>;
  readonly signInWithKey: (apiKey: string) => Promise<void>;
  readonly acceptInvitation: (invitation: {
    readonly token: string;
    readonly password: string;
  }) => Promise<void>;
  readonly signOut: () => Promise<void>;
};

/** Time limit of a request; exports have none of their own. */
const timeoutMs = 30_000;
const readTriesMax = 3;

/** The service that served this page: `url` has no slash at the end. */
export const openService = (
  url: string,
  needs: Omit<Parameters<typeof openSession>[0], 'refresh'>,
): Service => {
  const memory: ClientPositions = { position: null, settle: () => Promise.resolve() };
  const anonymous = operationsOf(url, needs.fetch, memory);
  const session = openSession({
    ...needs,
    refresh: async () => (await anonymous.logins.refreshToken()).access_token,
  });
  const api = operationsOf(url, session.fetch, memory);
  const calm = operationsOf(url, session.fetch, { ...memory, position: null });
  return {
    session,
    api,
    read: async (ask) => {
      try {
        return { value: await ask(api), isBehind: false };
      } catch (error) {
        if (!isFault(error, 'read_model_behind')) throw error;
        return { value: await ask(calm), isBehind: true };
      }
    },
    signIn: async (username, password) => {
      const { access_token } = await anonymous.logins.withPassword({ username, password });
      session.begin(access_token, 'person');
    },
    signInWithKey: async (apiKey) => {
      const { access_token } = await anonymous.logins.withApiKey({ api_key: apiKey });
      session.begin(access_token, 'key');
    },
    acceptInvitation: async (invitation) => {
      const { access_token } = await anonymous.users.acceptInvitation(invitation);
      session.begin(access_token, 'person');
    },
    signOut: async () => {
      try {
        if (session.state.peek() === 'person') await api.logins.logout();
      } finally {
        session.end();
      }
    },
  };
};

const operationsOf = (url: string, fetch: typeof globalThis.fetch, memory: ClientPositions) =>
  new Nouns(
    openCall({
      connection: { url, apiKey: null, token: null, fetch },
      project: () => Promise.resolve(null),
      timeoutMs,
      retries: { ...usualRetries, triesMax: readTriesMax },
      memory,
    }),
  );
