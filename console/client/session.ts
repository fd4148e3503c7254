import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { isFault } from '../../clients/typescript/src/fault.js';
import type { PageClock } from '../engines/clock.js';
import type { Storage } from '../engines/storage.js';
import type { Tabs } from '../engines/tabs.js';

/**
 * The login of this tab. `key`: by an API key, whose token ends with the tab. The access token
 * lives in one closure and is never stored.
 */
export type Session = {
  /** `opening` until it is known whether this browser has a login. */
  readonly state: ReadonlySignal<'opening' | 'signed-out' | 'person' | 'key'>;
  /** True after a login ended by itself: the page stays, a dialog signs in again. */
  readonly hasEnded: ReadonlySignal<boolean>;
  /** Looks for the login of this browser, once. */
  readonly open: () => Promise<void>;
  readonly begin: (token: string, kind: 'person' | 'key') => void;
  /** Ends the login in all tabs; the caller ends it in the service. */
  readonly end: () => void;
  /** Adds the token to requests; on 401 `token_expired` renews it once and repeats the request. */
  readonly fetch: typeof fetch;
};

type Needs = {
  readonly storage: Storage;
  readonly tabs: Tabs;
  readonly clock: PageClock;
  readonly fetch: typeof fetch;
  /** Renews the access token by the refresh cookie; a fault where there is no login. */
  readonly refresh: () => Promise<string>;
};

type Login = { readonly token: string; readonly kind: 'person' | 'key' };

/** How long other tabs may take to hand over their token. */
const tabAnswerMs = 80;

export const openSession = (needs: Needs): Session => {
  const { storage, tabs } = needs;
  const login = signal<Login | null>(null);
  const isOpening = signal(true);
  const hasEnded = signal(false);
  let renewal: Promise<string | null> | null = null;

  const begin = (token: string, kind: Login['kind']): void => {
    login.value = { token, kind };
    isOpening.value = false;
    hasEnded.value = false;
    if (kind === 'person') storage.write('person', '1');
  };
  const forget = (): void => {
    login.value = null;
    isOpening.value = false;
    storage.write('filters', null);
    storage.write('person', null);
  };
  const renew = (): Promise<string | null> => {
    const stale = login.peek()?.token ?? null;
    renewal ??= renewedToken(needs, stale).finally(() => {
      renewal = null;
    });
    return renewal;
  };
  tabs.subscribe((message) => {
    const current = login.peek();
    if (message.type === 'signed-out' && current?.kind === 'person') forget();
    if (message.type === 'token-wanted' && current?.kind === 'person') {
      tabs.send({ type: 'token', token: current.token });
    }
  });
  return {
    state: computed(() => login.value?.kind ?? (isOpening.value ? 'opening' : 'signed-out')),
    hasEnded,
    begin,
    open: async () => {
      try {
        const token = storage.read('person') === '1' ? await renew() : null;
        if (token === null) forget();
        else begin(token, 'person');
      } catch {
        // The service does not answer: the mark stays, since the login may be alive.
        isOpening.value = false;
      }
    },
    end: () => {
      if (login.peek()?.kind === 'person') tabs.send({ type: 'signed-out' });
      forget();
    },
    fetch: async (input, init) => {
      const current = login.peek();
      const answer = await needs.fetch(input, withToken(init, current?.token ?? null));
      if (answer.status !== 401 || current === null || !(await isExpired(answer))) return answer;
      const token = current.kind === 'person' ? await renew() : null;
      if (token === null) {
        hasEnded.value = true;
        return answer;
      }
      begin(token, 'person');
      return needs.fetch(input, withToken(init, token));
    },
  };
};

const withToken = (init: RequestInit | undefined, token: string | null): RequestInit => {
  const headers = new Headers(init?.headers);
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  return { ...init, headers };
};

/** True for answers that say that the login is over, and not that a credential is wrong. */
const isExpired = async (answer: Response): Promise<boolean> => {
  const body = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as { readonly code?: string };
  return body.code === 'token_expired' || body.code === 'unauthenticated';
};

/**
 * A token of another tab, else one by the refresh cookie; null where the login is over. Each
 * refresh is an event in the log, so that tabs share one.
 */
const renewedToken = ({ tabs, clock, refresh }: Needs, stale: string | null) =>
  tabs.exclusively('refresh', async (): Promise<string | null> => {
    const shared = await tokenOfOtherTab(tabs, clock, stale);
    if (shared !== null) return shared;
    try {
      return await refresh();
    } catch (error) {
      if (isFault(error, 'invalid_credentials', 'invalid_request', 'forbidden')) return null;
      throw error;
    }
  });

const tokenOfOtherTab = async (
  tabs: Tabs,
  clock: PageClock,
  stale: string | null,
): Promise<string | null> => {
  const found = new AbortController();
  let token: string | null = null;
  const unsubscribe = tabs.subscribe((message) => {
    if (message.type !== 'token' || message.token === stale) return;
    token = message.token;
    found.abort();
  });
  tabs.send({ type: 'token-wanted' });
  await clock.wait(tabAnswerMs, found.signal);
  unsubscribe();
  return token;
};
