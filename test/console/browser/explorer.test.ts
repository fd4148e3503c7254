import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import {
  expectAccessible,
  expectAccessibleEverywhere,
  openTestBrowser,
  signIn,
  type TestBrowser,
} from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { pollUntilEqual } from '../../support/poll-until.js';
import { retryUntilAccepted } from '../../support/retry-until-accepted.js';

const email = 'admin@localhost';
const tracesMax = 5_000;
const batch = 1_000;

/** Half of the traces are `even`; 400 customers; some of the first 200 have a failing tool. */
const traceOf = (index: number, now: number) => ({
  name: index % 2 === 0 ? 'even' : 'odd',
  input: `row ${index}`,
  created_at: new Date(now - index * 1_000).toISOString(),
  status_code: index % 50 === 0 ? 500 : 200,
  user_metadata: { customer: `c-${index % 400}` },
  metrics: { reward: (index % 10) / 10 },
  spans:
    index < 200
      ? [
          { type: 'tool', name: 'lookup', status_code: index % 7 === 0 ? 500 : 200 },
          { type: 'llm', name: 'answer', status_code: index % 3 === 0 ? 500 : 200 },
        ]
      : [],
});

const record = async ({ client }: App, name: string, count: number): Promise<string> => {
  const { body: project } = await client.call<{ readonly id: string }>('POST', '/v2/projects', {
    body: { name: `${name} ${Date.now()}` },
  });
  const now = Date.now() - 60_000;
  let position: string | null = null;
  for (let first = 0; first < count; first += batch) {
    const length = Math.min(batch, count - first);
    const traces = Array.from({ length }, (_trace, index) => traceOf(first + index, now));
    const path = `/v2/projects/${project.id}/traces`;
    ({ position } = await client.call('POST', path, {
      body: { traces, include_trace_ids: false },
    }));
  }
  const headers = { 'X-Min-Position': position ?? '' };
  await retryUntilAccepted(() =>
    client.send('POST', `/v2/projects/${project.id}/traces/count`, { body: {}, headers }),
  );
  return project.id;
};

/** Bytes of an export that the proxy lets through, fewer than it has when compressed. */
const exportBytesMax = 20_000;

/** A proxy that breaks the connection within the answer of an export. */
const startCuttingProxy = async (target: string) => {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(target).port), '127.0.0.1');
    let bytes = Number.NEGATIVE_INFINITY;
    near.on('data', (chunk) => {
      if (chunk.includes('/traces/export')) bytes = 0;
      far.write(chunk);
    });
    far.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > exportBytesMax) near.destroy();
      else near.write(chunk);
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [near, far].forEach((one) => one.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
};

describeInBrowser('the console, exploring records', function () {
  let app: App;
  let project: string;
  let browser: TestBrowser;
  before(async () => {
    app = await sharedApp();
    project = await record(app, 'explored', tracesMax);
    browser = await openTestBrowser(app.url);
    await browser.context.addInitScript('delete window.showSaveFilePicker');
    await signIn(await browser.open('/'), email, appPassword);
  });
  afterEach(async () => {
    await Promise.all(browser.context.pages().map((page) => page.close()));
    expect(browser.offences).to.deep.equal([]);
  });
  after(() => browser.close());

  const explore = async (view = '', from = browser): Promise<Page> => {
    const page = await from.open(`/p/${project}/traces${view}`);
    if (from !== browser) await signIn(page, email, appPassword);
    await page.getByRole('grid').waitFor();
    return page;
  };
  const countOf = async (body: object): Promise<number> => {
    const path = `/v2/projects/${project}/traces/count`;
    return (await app.client.call<{ readonly total_count: number }>('POST', path, { body })).body
      .total_count;
  };
  const expectCount = (page: Page, count: number): Promise<void> =>
    page
      .getByText(`${count.toLocaleString('en')} of ${tracesMax.toLocaleString('en')} traces`)
      .waitFor();

  const expectFilter = (page: Page, text: string): Promise<void> =>
    pollUntilEqual(() => page.getByLabel('Filter', { exact: true }).inputValue(), text);

  it('finds by a filter clicked together what the service finds (checks 8 and 12)', async () => {
    const page = await explore();
    await page.getByText('5,000 traces').waitFor();
    await page.getByRole('button', { name: 'Builder' }).click();
    const dialog = page.getByRole('dialog', { name: 'Filter' });
    await dialog.getByRole('button', { name: 'Any span with' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).first().click();
    await dialog.getByLabel('Column').selectOption('type');
    await dialog.getByLabel('Operator').selectOption('=');
    await dialog.getByLabel('Value').fill('tool');
    await dialog.getByRole('button', { name: 'Condition' }).first().click();
    await dialog.getByLabel('Column').nth(1).selectOption('status_code');
    await dialog.getByLabel('Value').nth(1).fill('400');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    const filter = 'any span (type = tool and status_code >= 400)';
    await expectFilter(page, filter);
    const tree = {
      any_span: {
        and_: [
          { filter: { type: 'text', name: 'type', operator: 'eq', value: 'tool' } },
          { filter: { type: 'number', name: 'status_code', operator: 'gte', value: 400 } },
        ],
      },
    };
    const count = await countOf({ filter_tree: tree });
    expect(count).to.equal(29);
    await expectCount(page, count);
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).to.equal(String(count + 1));
    await page.getByRole('img', { name: `${count} traces over time` }).waitFor();
    await page.getByRole('grid').press('End');
    await page.locator(`[aria-rowindex="${count + 1}"]`).waitFor();
    expect(await page.locator(`[aria-rowindex="${count + 2}"]`).count()).to.equal(0);
  });

  it('keeps the rows and the address while a filter is incomplete (check 10)', async () => {
    const page = await explore('#f=name%20%3D%20even');
    await expectCount(page, 2_500);
    const address = page.url();
    const field = page.getByLabel('Filter', { exact: true });
    await field.fill('name = even and status_code >');
    await field.press('Enter');
    await page.getByText('The filter is not complete').waitFor();
    expect(page.url()).to.equal(address);
    await expectCount(page, 2_500);
    await field.fill('name = even and status_code >= 400');
    await field.press('Enter');
    await expectCount(page, 100);
    await page.goBack();
    await expectCount(page, 2_500);
    await expectFilter(page, 'name = even');
  });

  it('shows the same rows and columns by the address in another browser (check 11)', async () => {
    const page = await explore();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByLabel('customer').click();
    await dialog.getByLabel('Output', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'reward' }).click();
    const field = page.getByLabel('Filter', { exact: true });
    await field.fill('status_code = 500');
    await field.press('Enter');
    await expectCount(page, 100);
    const seen = async (from: Page): Promise<readonly string[]> => {
      await from.locator('[aria-sort=descending]').getByText('reward').waitFor();
      await expectCount(from, 100);
      return from.getByRole('row').allInnerTexts();
    };
    const rows = await seen(page);
    expect(rows[0]).to.include('customer').and.not.include('Output');
    const other = await openTestBrowser(app.url);
    const copy = await explore(new URL(page.url()).hash, other);
    const copied = await seen(copy);
    await other.close();
    expect(copied).to.deep.equal(rows);
  });

  it('finds the last of 400 values of a facet and names the choice (check 13)', async () => {
    const page = await explore();
    const facet = page.locator('details').filter({ hasText: 'customer' });
    await facet.locator('summary').click();
    await facet.getByLabel('Find among 400 values').fill('c-399');
    await facet.getByLabel('c-399').click();
    await expectCount(page, 12);
    expect(await facet.locator('summary').innerText()).to.include('c-399');
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).to.include('c-399');
  });

  it('says how many traces came and leaves the row that is read (check 14)', async () => {
    const page = await explore('#f=name%20%3D%20live%20or%20name%20%3D%20odd');
    // Nothing above or beside the rows comes later.
    await page.getByRole('img', { name: /traces over time/ }).waitFor();
    await page.locator('details').filter({ hasText: 'customer' }).waitFor();
    const row = page.getByRole('row').nth(5);
    await row.getByRole('gridcell').nth(2).click();
    const [text, box] = [await row.innerText(), await row.boundingBox()];
    await app.client.call('POST', `/v2/projects/${project}/traces`, {
      body: { traces: Array.from({ length: 50 }, () => ({ name: 'live', input: 'new' })) },
    });
    await page.getByRole('button', { name: '50 new' }).waitFor();
    expect(await row.innerText()).to.equal(text);
    expect(await row.boundingBox()).to.deep.equal(box);
    await page.getByRole('button', { name: '50 new' }).click();
    await page.getByRole('row').nth(1).getByText('live').waitFor();
    await app.client.call('POST', `/v2/projects/${project}/traces/delete`, {
      body: { filters: [{ type: 'text', name: 'name', operator: 'eq', value: 'live' }] },
    });
  });

  it('scrolls through 5,000 rows, each once, with few in the page (check 15)', async () => {
    const page = await explore(
      '#t=7d&f=name%20in%20(even,odd)&cols=created_at,input&strip=off&facets=off',
    );
    await page.setViewportSize({ width: 1_280, height: 1_600 });
    const scrolled = await page.evaluate<{ readonly most: number; readonly texts: string[] }>(
      `(async () => {
        const grid = document.querySelector('[role=grid]');
        const texts = new Map();
        let most = 0;
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        // However long a page of rows takes; it ends a minute after the last one.
        for (let idle = 0; idle < 1_800 && texts.size < ${tracesMax}; idle += 1) {
          const known = texts.size;
          const rows = [...grid.querySelectorAll('.grid-body [role=row]')];
          most = Math.max(most, rows.length);
          for (const row of rows) texts.set(row.getAttribute('aria-rowindex'), row.textContent);
          // A little less than what is drawn: the overlap shows whether a row came twice.
          grid.scrollTop += Math.max(600, (rows.length - 20) * 28);
          await frame();
          await frame();
          if (texts.size > known) idle = 0;
        }
        return { most, texts: [...texts.values()].map((text) => text.replace(/.*row/, 'row')) };
      })()`,
    );
    expect(scrolled.most).to.be.at.most(80);
    const expected = Array.from({ length: tracesMax }, (_row, index) => `row ${index}`);
    const texts = new Set(scrolled.texts);
    const missing = expected.filter((text) => !texts.has(text));
    expect(missing.join()).to.equal('');
    expect(scrolled.texts).to.have.length(tracesMax);
  });

  it('selects all rows, or those between two, by mouse and keys, and says how many', async () => {
    const page = await explore('#f=status_code%20%3D%20500');
    await expectCount(page, 100);
    const expectSelected = (count: number): Promise<void> =>
      page.getByRole('status').getByText(`${count} of 100 rows selected`).waitFor();
    const all = page.getByLabel('Select all 100 rows');
    await all.click();
    await expectSelected(100);
    await page.getByText('100 selected', { exact: true }).waitFor();
    await all.click();
    await expectSelected(0);
    await page.getByLabel('Select row 3', { exact: true }).click();
    await page.getByLabel('Select row 6', { exact: true }).click({ modifiers: ['Shift'] });
    await expectSelected(4);
    await page.locator('input:indeterminate').waitFor();
    await page.getByRole('grid').focus();
    for (const [key, count] of [
      ['Control+a', 100],
      ['Control+a', 0],
      ['Home', 0],
      ['x', 1],
      ['ArrowDown', 1],
      ['ArrowDown', 1],
      ['X', 3],
      ['Shift+ArrowDown', 4],
      ['Shift+ArrowDown', 5],
      ['Shift+ArrowUp', 4],
    ] as const) {
      await page.keyboard.press(key);
      await expectSelected(count);
    }
  });

  it('exports each row, and counts them (check 16)', async () => {
    const page = await explore('#f=name%20%3D%20even');
    await expectCount(page, 2_500);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export 2,500 traces' });
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByText(/^2,500 lines, .*: whole$/).waitFor();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { readonly id: string }).id);
    expect(new Set(ids).size).to.equal(2_500);
  });

  it('says of an export that was cut that it is not whole (check 16)', async () => {
    const proxy = await startCuttingProxy(app.url);
    const other = await openTestBrowser(proxy.url);
    await other.context.addInitScript('delete window.showSaveFilePicker');
    const page = await explore('#f=name%20%3D%20even', other);
    await expectCount(page, 2_500);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export 2,500 traces' });
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByText(/^Not whole: /).waitFor();
    await other.close();
    await proxy.close();
  });

  it('is accessible in both themes, wide and narrow (check 34)', async () => {
    const page = await explore();
    await page.getByRole('gridcell').nth(2).click();
    await page.keyboard.press('x');
    await page.getByRole('group', { name: 'Selected records' }).waitFor();
    await expectAccessibleEverywhere(page);
  });
});
