import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { makeSample } from '../../../tools/demo/sample.js';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import { openTestBrowser, signIn, type TestBrowser } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';

type Made = { readonly id: string };

/** Most bytes of the answers to a page, headers included (section 10 of the design). */
const explorerBytesMax = 25 * 1_024;
const traceBytesMax = 60 * 1_024;
const spanCount = 1_000;
/** Requests of a visible page in a minute: 0.3 a second. */
const liveRequestsMax = 18;

const hide = (state: 'hidden' | 'visible'): string => `
  const values = { hidden: ${state === 'hidden'}, visibilityState: '${state}' };
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(document, name, { configurable: true, get: () => value });
  }
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`;

describeInBrowser('requests of the console', () => {
  let app: App;
  let browser: TestBrowser;
  let page: Page;
  let project: string;
  before(async () => {
    app = await sharedApp();
    project = await newProject('requests');
    const [support] = makeSample({ seed: 7, runs: 240, days: 1, end: Date.now() });
    const body = { traces: support?.traces ?? [] };
    await app.client.call('POST', `/v2/projects/${project}/traces`, { body });
  });
  beforeEach(async () => {
    browser = await openTestBrowser(app.url);
    page = await browser.open('/account');
    await signIn(page, 'admin@localhost', appPassword);
  });
  afterEach(async () => {
    await browser.close();
    expect(browser.offences).to.deep.equal([]);
  });

  const newProject = async (name: string): Promise<string> => {
    const body = { name: `${name} ${Date.now()}` };
    return (await app.client.call<Made>('POST', '/v2/projects', { body })).body.id;
  };
  /** Goes to a page as a link does, and counts the bytes of the service's answers to it. */
  const bytesOf = async (path: string): Promise<number> => {
    await browser.untilQuiet(page);
    const network = await browser.context.newCDPSession(page);
    await network.send('Network.enable');
    const asked = new Set<string>();
    let bytes = 0;
    network.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (request.url.includes('/v2/')) asked.add(requestId);
    });
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (asked.has(requestId)) bytes += encodedDataLength;
    });
    const address = JSON.stringify(`${app.url}/console${path}`);
    await page.evaluate(
      `history.pushState(null, '', ${address}); dispatchEvent(new Event('popstate'))`,
    );
    await browser.untilQuiet(page);
    await network.detach();
    return bytes;
  };
  /**
   * Requests by minute of the page's clock, which is moved in steps as long as the shortest wait of
   * a page and goes on by itself meanwhile.
   */
  const requestsInMinute = async (): Promise<number> => {
    let requests = 0;
    const now = (): Promise<number> => page.evaluate<number>('Date.now()');
    const begin = await now();
    const count = (): number => (requests += 1);
    page.on('request', count);
    for (let seconds = 0; seconds < 60; seconds += 2) {
      await page.clock.runFor(2_000);
      await browser.untilQuiet(page);
    }
    page.off('request', count);
    return (requests * 60_000) / ((await now()) - begin);
  };

  it('bring a page of 100 traces in 25 KB (check 35)', async () => {
    const bytes = await bytesOf(`/p/${project}/traces#t=7d`);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).to.equal('121');
    expect(bytes).to.be.within(1_000, explorerBytesMax);
  });

  it('bring a trace of 1,000 spans in 60 KB (check 35)', async () => {
    const spans = Array.from({ length: spanCount }, (_span, index) => ({
      type: index % 2 === 0 ? 'llm' : 'tool',
      name: `step ${index % 20}`,
      input: 'a question with some words '.repeat(40),
      output: 'an answer with some words '.repeat(40),
      metrics: { duration_ns: 1_000_000 * (index % 97), cost: index / 1e6 },
    }));
    const { body } = await app.client.call<{ readonly trace_ids: readonly string[] }>(
      'POST',
      `/v2/projects/${project}/traces`,
      { body: { traces: [{ name: 'long', input: 'q', spans }], include_trace_ids: true } },
    );
    const bytes = await bytesOf(`/p/${project}/traces/${body.trace_ids[0]}`);
    await page.locator(`[aria-rowcount="${spanCount + 1}"]`).waitFor();
    expect(bytes).to.be.within(1_000, traceBytesMax);
  });

  it('end in a hidden tab, and are few in a visible one (check 35)', async () => {
    const empty = await newProject('waiting');
    await page.clock.install();
    for (const path of [`/p/${project}/traces`, `/p/${project}#t=15m`, `/p/${empty}/start`]) {
      await page.goto(`${app.url}/console${path}`);
      await browser.untilQuiet(page);
      await page.evaluate(hide('hidden'));
      expect(await requestsInMinute(), `${path}, hidden`).to.equal(0);
      await page.evaluate(hide('visible'));
      const most = path.endsWith('/start') ? 31 : liveRequestsMax;
      expect(await requestsInMinute(), `${path}, visible`).to.be.within(1, most);
    }
  });
});
