import { signal } from '@preact/signals';
import { expect } from 'chai';
import { AssayFault } from '../../clients/typescript/src/fault.js';
import { forgetLastPerson } from '../../console/client/last-person.js';
import { openService } from '../../console/client/service.js';
import { openSession, type Session, type SessionObstacle } from '../../console/client/session.js';
import type { TabMessage, Tabs } from '../../console/engines/tab-messages.js';

type Take = (message: TabMessage) => void;

/** An access token of a person, as the service writes them. */
const tokenOf = (person: string, count: number): string =>
  ['head', btoa(JSON.stringify({ sub: person, jti: count })), 'signature'].join('.');

/** A browser with tabs, and the service that it signs in to. */
const openTestTabs = () => {
  const takers = new Set<Take>();
  const stored = new Map<string, string>();
  const alive = new Set<string>();
  const requests: { readonly token: string; readonly credentials: string | undefined }[] = [];
  const state = { cookie: null as string | null, refreshes: 0, isDown: false, isDeaf: false };
  let tokens = 0;
  const issue = (person: string): string => {
    const token = tokenOf(person, (tokens += 1));
    alive.add(token);
    return token;
  };
  /** The messages between tabs; each tab has its own. */
  const openTabs = (): Tabs => {
    const own = new Set<Take>();
    return {
      send: (message) => {
        for (const take of takers) if (!own.has(take) && !state.isDeaf) take(message);
      },
      subscribe: (take) => {
        takers.add(take);
        own.add(take);
        return () => void takers.delete(take);
      },
      exclusively: async (_name, work) => work(),
    };
  };
  const answer: typeof fetch = async (_input, init) => {
    const [, token = ''] = (new Headers(init?.headers).get('Authorization') ?? '').split(' ');
    requests.push({ token, credentials: init?.credentials });
    if (alive.has(token)) return Response.json({});
    return Response.json({ code: 'token_expired' }, { status: 401 });
  };
  const refresh = async (): Promise<string> => {
    state.refreshes += 1;
    if (state.isDown) throw new AssayFault('down', { code: 'unreachable' });
    if (state.cookie === null) throw new AssayFault('none', { code: 'invalid_credentials' });
    return issue(state.cookie);
  };
  const openTab = (): Session =>
    openSession({
      tabs: openTabs(),
      storage: {
        read: (name) => stored.get(name) ?? null,
        write: (name, value) =>
          void (value === null ? stored.delete(name) : stored.set(name, value)),
      },
      clock: { now: () => 0, wait: async () => undefined },
      fetch: answer,
      refresh,
    });
  return {
    state,
    stored,
    requests,
    openTabs,
    openTab,
    expireAll: () => alive.clear(),
    issue,
    /** Signs in by password, which sets the cookie. */
    signIn: (tab: Session, person: string): void => {
      state.cookie = person;
      tab.begin(issue(person), 'person');
    },
  };
};

const statusOf = async (tab: Session): Promise<number> => (await tab.fetch('/v2/any')).status;

describe('the login of a tab', () => {
  it('is shared with a new tab, and ends with that of the others', async () => {
    const browser = openTestTabs();
    const [first, second] = [browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    await second.open();
    expect([second.person.value, browser.state.refreshes]).to.deep.equal(['ada', 0]);
    second.end(true);
    expect([first.state.value, browser.stored.size]).to.deep.equal(['signed-out', 0]);
  });

  it('renews once for all requests that wait, from another tab where it can', async () => {
    const browser = openTestTabs();
    const [first, second] = [browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    await second.open();
    browser.expireAll();
    expect(await Promise.all([statusOf(first), statusOf(first)])).to.deep.equal([200, 200]);
    expect(await statusOf(second)).to.equal(200);
    expect(browser.state.refreshes).to.equal(1);
  });

  it('asks the service where the token of another tab has expired, too', async () => {
    const browser = openTestTabs();
    const [first, second] = [browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    browser.signIn(second, 'ada');
    browser.expireAll();
    expect(await statusOf(second)).to.equal(200);
    expect(browser.state.refreshes).to.equal(1);
  });

  it('never goes on as another person who signed in in another tab', async () => {
    const browser = openTestTabs();
    const [first, second, third] = [browser.openTab(), browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    browser.signIn(second, 'bob');
    expect(await statusOf(first)).to.equal(200);
    await third.open();
    expect(third.person.value).to.equal('bob');
    browser.expireAll();
    expect(await statusOf(first)).to.equal(401);
    expect([first.person.value, first.obstacle.value]).to.deep.equal(['ada', 'replaced']);
    expect(browser.state.refreshes).to.equal(0);
    browser.signIn(first, 'ada');
    expect([await statusOf(first), first.obstacle.value]).to.deep.equal([200, null]);
  });

  it('notices another person by the token where no tab said so', async () => {
    const browser = openTestTabs();
    const [first, second] = [browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    browser.state.isDeaf = true;
    browser.signIn(second, 'bob');
    browser.expireAll();
    expect(await statusOf(first)).to.equal(401);
    expect([first.person.value, first.obstacle.value]).to.deep.equal(['ada', 'replaced']);
  });

  it('ends without the login of another person that has the cookie', async () => {
    const browser = openTestTabs();
    const [first, second] = [browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    browser.signIn(second, 'bob');
    // The request of a sign-out ends the login of the cookie, too, where it is sent along.
    await statusOf(first);
    expect(browser.requests.at(-1)?.credentials).to.equal('omit');
    first.end(true);
    expect(first.state.value).to.equal('signed-out');
    expect([second.person.value, browser.stored.get('person')]).to.deep.equal(['bob', '1']);
    await statusOf(second);
    expect(browser.requests.at(-1)?.credentials).to.equal(undefined);
  });

  it('does not repeat the request of one person as another', async () => {
    const browser = openTestTabs();
    const tab = browser.openTab();
    browser.signIn(tab, 'ada');
    browser.expireAll();
    const late = tab.fetch('/v2/late');
    browser.signIn(tab, 'bob');
    expect((await late).status).to.equal(401);
    expect([tab.person.value, tab.obstacle.value]).to.deep.equal(['bob', null]);
    expect(browser.requests).to.have.length(1);
  });

  it('leaves the login of the browser alone where it is by a key', async () => {
    const browser = openTestTabs();
    const [first, second] = [browser.openTab(), browser.openTab()];
    browser.signIn(first, 'ada');
    second.begin(browser.issue('ada'), 'key');
    second.end(true);
    expect([first.state.value, browser.stored.get('person')]).to.deep.equal(['person', '1']);
  });

  it('says that the service did not answer, and finds the login once it does', async () => {
    const browser = openTestTabs();
    const tab = browser.openTab();
    browser.stored.set('person', '1');
    browser.state.cookie = 'ada';
    browser.state.isDown = true;
    await tab.open();
    expect([tab.state.value, tab.obstacle.value]).to.deep.equal(['signed-out', 'unanswered']);
    browser.state.isDown = false;
    await tab.open();
    expect([tab.person.value, tab.obstacle.value]).to.deep.equal(['ada', null]);
    tab.end(false);
    expect([tab.state.value, tab.obstacle.value]).to.deep.equal(['signed-out', 'unheard']);
  });

  it('keeps drafts for the same person, and nothing for another one', () => {
    const person = signal<string | null>(null);
    const obstacle = signal<SessionObstacle | null>(null);
    const cleared: string[] = [];
    const clearing = (name: string) => () => void cleared.push(name);
    forgetLastPerson({
      service: { session: { person, obstacle } },
      queries: {
        clear: clearing('answers'),
        invalidateQueries: async () => void cleared.push('asked again'),
      },
      navigation: { forgetVisited: clearing('places') },
      unsaved: { clear: clearing('drafts') },
    });
    for (const next of ['ada', null, 'ada']) person.value = next;
    expect(cleared).to.deep.equal([]);
    obstacle.value = 'over';
    obstacle.value = null;
    expect(cleared.splice(0)).to.deep.equal(['asked again']);
    person.value = null;
    person.value = 'bob';
    expect(cleared).to.have.members(['answers', 'places', 'drafts']);
  });
});

describe('the clock of the service', () => {
  const hourMs = 3_600_000;

  it('is taken along with the token of another tab', async () => {
    const browser = openTestTabs();
    const begin = Date.parse('2026-03-01T12:00:00Z');
    for (const offMs of [-2 * hourMs, 2 * hourMs]) {
      const openTab = () =>
        openService('http://localhost', {
          storage: { read: () => '1', write: () => undefined },
          tabs: browser.openTabs(),
          clock: { now: () => begin + offMs, wait: async () => undefined },
          fetch: async () =>
            Response.json(
              { access_token: tokenOf('ada', 0), token_type: 'bearer' },
              { headers: { Date: new Date(begin).toUTCString() } },
            ),
        });
      const [first, second] = [openTab(), openTab()];
      await first.session.open();
      expect(first.now() - begin).to.be.within(0, 1_000);
      await second.session.open();
      expect(second.now()).to.equal(first.now());
      first.session.end(true);
    }
  });
});
