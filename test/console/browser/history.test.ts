import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import {
  expectAccessible,
  openTestBrowser,
  signIn,
  type TestBrowser,
} from '../../support/browser.js';
import { upload } from '../../support/datasets.js';
import { chromium, describeWithTool } from '../../support/required-tools.js';

const email = 'admin@localhost';

describeWithTool(chromium, 'the console, history', () => {
  let app: App;
  let browser: TestBrowser;
  let dataset: string;
  before(async () => {
    app = await sharedApp();
    const made = await upload(app, { file: 'question\nTo Oslo?\n', parts: { name: 'airline' } });
    dataset = made.body.id;
    await app.client.call('PATCH', `/v2/datasets/${dataset}`, { body: { name: 'airline-v2' } });
  });
  beforeEach(async () => {
    browser = await openTestBrowser(app.url);
  });
  afterEach(async () => {
    const { offences } = browser;
    await browser.close();
    expect(offences).to.deep.equal([]);
  });
  const open = async (path: string): Promise<Page> => {
    const page = await browser.open(path);
    await signIn(page, email, appPassword);
    return page;
  };

  it('shows a renaming before and after, and the dataset as it was (check 29)', async () => {
    const page = await open(`/history/dataset/${dataset}`);
    const renaming = page.locator('.entry', { hasText: 'DatasetRenamed' });
    await renaming.locator('del', { hasText: 'airline' }).waitFor();
    await renaming.locator('ins', { hasText: 'airline-v2' }).waitFor();
    await page.getByRole('slider', { name: 'As it was after the entry' }).fill('0');
    const then = page.getByRole('region', { name: 'As it was' });
    await then.getByText('airline', { exact: true }).waitFor();
    expect(await then.getByText('airline-v2').count()).to.equal(0);
    expect(await then.locator('input, textarea, select, [contenteditable]').count()).to.equal(0);
    expect(page.url()).to.match(/#at=[0-9a-f]{16}$/);
    await page.keyboard.press('Escape');
    await then.waitFor({ state: 'detached' });
    await expectAccessible(page);
  });

  it('lists the organisation, filtered by the address and by a click, by keys', async () => {
    const page = await open('/history#type=DatasetRenamed');
    const entries = page.locator('.entry');
    await entries.first().waitFor();
    expect(await entries.locator('.entry-type').allTextContents()).to.include('DatasetRenamed');
    await page.getByRole('heading', { name: 'History' }).click();
    await page.keyboard.press('j');
    await page.getByText('content digest').waitFor();
    expect(page.url()).to.match(/sel=\d+/);
    await page.getByRole('button', { name: 'Without the filter DatasetRenamed' }).click();
    await entries.locator('.entry-type', { hasText: 'DatasetCreated' }).first().waitFor();
    const narrow = await openTestBrowser(app.url, { theme: 'dark', width: 360 });
    const other = await narrow.open('/history');
    await signIn(other, email, appPassword);
    await other.locator('.entry').first().waitFor();
    await expectAccessible(other);
    await narrow.close();
    expect(narrow.offences).to.deep.equal([]);
  });
});
