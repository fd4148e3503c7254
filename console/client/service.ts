import { signal, type ReadonlySignal } from '@preact/signals';
import { openCall, type ClientPositions } from '../../clients/typescript/src/call.js';
import { isFault } from '../../clients/typescript/src/fault.js';
import { Nouns } from '../../clients/typescript/src/generated/all.js';
import { usualRetries } from '../../clients/typescript/src/retry.js';
import type { Permit, Requirement } from '../parts/permits.js';
import { permittedOperations, type Operations, type PermittedOperations } from './operations.js';
import { withServiceClock } from './service-clock.js';
import { openSession, type Session } from './session.js';

/** Answer of a read; `isBehind`: from before this page's last write (contract 1.7). */
export type ReadResult<T> = { readonly value: T; readonly isBehind: boolean };

export type Service = {
  readonly session: Session;
  /** Address of the service, without a slash at the end. */
  readonly url: string;
  /** Milliseconds since 1970 by the service's clock, as far as its answers say it. */
  readonly now: () => number;
  /** Lag of the read model that an answer reported last (`X-Projection-Behind`); null before. */
  readonly lagSeconds: ReadonlySignal<number | null>;
  /** Reads with the login of this tab, which include this page's writes. */
  readonly api: Operations;
  /** The operations of a permit with the login of this tab. */
  readonly permitted: <R extends Requirement>(permit: Permit<R>) => PermittedOperations<R>;
  /**
   * Reads with read-your-writes; where the read model is behind, reads once more without, and says
   * so.
   */
  readonly read: <T, R extends Requirement>(
    permit: Permit<R>,
    ask: (operations: PermittedOperations<R>) => Promise<T>,
  ) => Promise<ReadResult<T>>;
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
  given: Omit<Parameters<typeof openSession>[0], 'refresh'>,
): Service => {
  const { fetch: timed, sharedBy, now } = withServiceClock(given.fetch, given.clock);
  const { fetch, lagSeconds } = withLag(timed);
  const needs = { ...given, tabs: sharedBy(given.tabs), fetch };
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
    url,
    now,
    lagSeconds,
    api,
    permitted: (permit) => permittedOperations(api, permit),
    read: async (permit, ask) => {
      try {
        return { value: await ask(permittedOperations(api, permit)), isBehind: false };
      } catch (error) {
        if (!isFault(error, 'read_model_behind')) throw error;
        return { value: await ask(permittedOperations(calm, permit)), isBehind: true };
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
      const isPerson = session.state.peek() === 'person';
      session.end(!isPerson || (await isHeard(api.logins.logout())));
    },
  };
};

/** True once the service answered, even that the login was over before. */
const isHeard = async (answer: Promise<unknown>): Promise<boolean> => {
  try {
    await answer;
    return true;
  } catch (error) {
    return isFault(error, 'unauthenticated', 'invalid_credentials', 'token_expired');
  }
};

/** Notes the lag that answers report; the ones of a read model that is not behind have none. */
const withLag = (send: typeof globalThis.fetch) => {
  const lagSeconds = signal<number | null>(null);
  return {
    lagSeconds,
    fetch: async (...request: Parameters<typeof globalThis.fetch>) => {
      const answer = await send(...request);
      const lag = answer.headers.get('X-Projection-Behind');
      if (lag !== null) lagSeconds.value = Number(lag);
      return answer;
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
