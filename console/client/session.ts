import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { isFault } from '../../clients/typescript/src/fault.js';
import type { PageClock } from '../engines/clock.js';
import type { Tabs } from '../engines/tab-messages.js';

/**
 * The login of this tab. `key`: by an API key, whose token ends with the tab. The access token
 * lives in one closure and is never stored. A tab never goes on as another person by itself.
 */
export type Session = {
  /** `opening` until it is known whether this browser has a login. */
  readonly state: ReadonlySignal<'opening' | 'signed-out' | 'person' | 'key'>;
  /** Id of the user whose pages the tab shows; null while it shows those of none. */
  readonly person: ReadonlySignal<string | null>;
  /** Why the login cannot go on by itself; null while it can. */
  readonly obstacle: ReadonlySignal<SessionObstacle | null>;
  /** Looks for the login of this browser. */
  readonly open: () => Promise<void>;
  readonly begin: (token: string, kind: 'person' | 'key') => void;
  /**
   * Ends the login in all tabs of the person; the caller ends it in the service. `isHeard`: false
   * where the service did not answer that.
   */
  readonly end: (isHeard: boolean) => void;
  /** Adds the token to requests; on 401 renews it and repeats the request. */
  readonly fetch: typeof fetch;
};

/**
 * `over`: the login ended by itself, the page stays and a dialog signs in again. `replaced`: it
 * ended while another person's login has this browser's cookie. `unanswered`: the service did not
 * say whether this browser has a login. `unheard`: nor did it hear that the login was to end.
 */
export type SessionObstacle = 'over' | 'replaced' | 'unanswered' | 'unheard';

type Needs = {
  /** The mark of a browser with a login, and filters, which are gone with it. */
  readonly storage: {
    readonly read: (name: 'person') => string | null;
    readonly write: (name: 'person' | 'filters', value: string | null) => void;
  };
  readonly tabs: Tabs;
  readonly clock: PageClock;
  readonly fetch: typeof fetch;
  /** Renews the access token by the refresh cookie; a fault where there is no login. */
  readonly refresh: () => Promise<string>;
};

type Login = {
  readonly token: string;
  readonly kind: 'person' | 'key';
  readonly person: string;
  /** True while the browser's refresh cookie is of another person's login. */
  readonly isReplaced: boolean;
};

/** How long other tabs may take to hand over their token. */
const tabAnswerMs = 80;

export const openSession = (needs: Needs): Session => {
  const { storage, tabs } = needs;
  const login = signal<Login | null>(null);
  const isOpening = signal(true);
  const obstacle = signal<SessionObstacle | null>(null);
  const take = (token: string, kind: Login['kind']): void => {
    login.value = { token, kind, person: personOf(token), isReplaced: false };
    isOpening.value = false;
    obstacle.value = null;
    if (kind === 'person') storage.write('person', '1');
  };
  const forget = (): void => {
    // The mark is of the login that has the cookie.
    const isMarked = login.peek()?.kind !== 'key' && login.peek()?.isReplaced !== true;
    login.value = null;
    isOpening.value = false;
    obstacle.value = null;
    storage.write('filters', null);
    if (isMarked) storage.write('person', null);
  };
  const renewals = openRenewals(needs, login);
  /** The login of a token that has expired, renewed; null where it cannot be. */
  const renew = async (stale: Login, source: TokenSource): Promise<Login | null> => {
    const current = login.peek();
    if (current === null || current.person !== stale.person) return null;
    if (current.token !== stale.token) return current;
    const token = current.kind === 'person' ? await renewals.renew(current, source) : null;
    // Meanwhile another person may have signed in here.
    if (login.peek()?.person !== stale.person) return null;
    if (token !== null) take(token, 'person');
    else obstacle.value = login.peek()?.isReplaced === true ? 'replaced' : 'over';
    return token === null ? null : login.peek();
  };
  answerTabs(tabs, login, forget);
  return {
    state: computed(() => login.value?.kind ?? (isOpening.value ? 'opening' : 'signed-out')),
    person: computed(() => login.value?.person ?? null),
    obstacle,
    begin: (token, kind) => {
      take(token, kind);
      if (kind === 'person') tabs.send({ type: 'signed-in', person: personOf(token) });
    },
    open: async () => {
      try {
        const token = storage.read('person') === '1' ? await renewals.renew(null, 'tabs') : null;
        if (token === null) forget();
        else take(token, 'person');
      } catch {
        // The service does not answer: the mark stays, since the login may be alive.
        isOpening.value = false;
        obstacle.value = 'unanswered';
      }
    },
    end: (isHeard) => {
      const current = login.peek();
      if (current?.kind === 'person') tabs.send({ type: 'signed-out', person: current.person });
      forget();
      if (!isHeard) obstacle.value = 'unheard';
    },
    fetch: withRenewals(needs.fetch, login, renew),
  };
};

/** Repeats a request whose token has expired with one that `renew` gives, for the same person. */
const withRenewals =
  (
    send: typeof fetch,
    login: LoginSignal,
    renew: (stale: Login, source: TokenSource) => Promise<Login | null>,
  ): typeof fetch =>
  async (input, init) => {
    let used = login.peek();
    let answer = await send(input, withLogin(init, used));
    // A token of another tab may have expired, too.
    for (const source of ['tabs', 'service'] as const) {
      // A 401 ends a token that was valid once, whatever its code.
      if (answer.status !== 401 || used === null) break;
      used = await renew(used, source);
      if (used === null) break;
      answer = await send(input, withLogin(init, used));
    }
    return answer;
  };

const withLogin = (init: RequestInit | undefined, login: Login | null): RequestInit => {
  const headers = new Headers(init?.headers);
  if (login !== null) headers.set('Authorization', `Bearer ${login.token}`);
  // The end of this login leaves that of the cookie alone.
  const isWithoutCookie = login?.isReplaced === true;
  return { ...init, headers, ...(isWithoutCookie && { credentials: 'omit' as const }) };
};

/** The user that an access token is of (contract 2.2); the token itself where it has none. */
const personOf = (token: string): string => {
  try {
    const [, payload = ''] = token.split('.');
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const { sub } = JSON.parse(text) as { readonly sub?: unknown };
    return typeof sub === 'string' ? sub : token;
  } catch {
    return token;
  }
};

/** Hands the token to tabs that want it, and follows the logins of the other tabs. */
const answerTabs = (tabs: Tabs, login: LoginSignal, forget: () => void): void => {
  tabs.subscribe((message) => {
    const current = login.peek();
    if (current?.kind !== 'person') return;
    const isOwn = 'person' in message && message.person === current.person;
    if (message.type === 'signed-out' && isOwn) forget();
    if (message.type === 'signed-in') login.value = { ...current, isReplaced: !isOwn };
    if (message.type === 'token-wanted' && !current.isReplaced) {
      tabs.send({ type: 'token', token: current.token });
    }
  });
};
type LoginSignal = Signal<Login | null>;

/** `tabs`: a token of another tab, else one by the refresh cookie; `service`: one by the cookie. */
type TokenSource = 'tabs' | 'service';

/**
 * Renews tokens, one renewal at a time for all that wait. A token of another person renews nothing:
 * the login is marked as replaced. Each refresh is an event in the log, so that tabs share one.
 */
const openRenewals = (needs: Needs, login: LoginSignal) => {
  const { tabs, clock, refresh } = needs;
  let running: { readonly person: string | null; readonly token: Promise<string | null> } | null =
    null;
  const renewed = (stale: Login | null, source: TokenSource) =>
    tabs.exclusively('refresh', async (): Promise<string | null> => {
      const isOwn = (token: string): boolean => stale === null || personOf(token) === stale.person;
      if (stale?.isReplaced === true) return null;
      const isUseful = (token: string): boolean => token !== stale?.token && isOwn(token);
      const shared = source === 'tabs' ? await tokenOfOtherTab(tabs, clock, isUseful) : null;
      if (shared !== null) return shared;
      const token = await refresh().catch(nullWithoutLogin);
      if (token === null || isOwn(token)) return token;
      const current = login.peek();
      if (current?.person === stale?.person && current !== null) {
        login.value = { ...current, isReplaced: true };
      }
      return null;
    });
  return {
    /** Null where the login is over, or another person's has its place. */
    renew: (stale: Login | null, source: TokenSource): Promise<string | null> => {
      const person = stale?.person ?? null;
      if (running?.person === person) return running.token;
      const token = renewed(stale, source).finally(() => {
        if (running?.token === token) running = null;
      });
      running = { person, token };
      return token;
    },
  };
};

const nullWithoutLogin = (error: unknown): null => {
  if (isFault(error, 'invalid_credentials', 'invalid_request', 'forbidden')) return null;
  throw error;
};

const tokenOfOtherTab = async (
  tabs: Tabs,
  clock: PageClock,
  isUseful: (token: string) => boolean,
): Promise<string | null> => {
  const found = new AbortController();
  let token: string | null = null;
  const unsubscribe = tabs.subscribe((message) => {
    if (message.type !== 'token' || !isUseful(message.token)) return;
    token = message.token;
    found.abort();
  });
  tabs.send({ type: 'token-wanted' });
  await clock.wait(tabAnswerMs, found.signal);
  unsubscribe();
  return token;
};
