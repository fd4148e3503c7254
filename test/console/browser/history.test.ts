import { expect } from 'chai';
import { opsCaller } from '../../../cli/ops-client.js';
import { sealCommand } from '../../../ledger/sealing.js';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessible } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages } from '../../support/console-pages.js';
import { upload } from '../../support/datasets.js';
import { pollUntil } from '../../support/poll-until.js';

describeInBrowser('the console, history', () => {
  let app: App;
  const { open } = consolePages();
  let dataset: string;
  before(async () => {
    app = await sharedApp();
    const made = await upload(app, { file: 'question\nTo Oslo?\n', parts: { name: 'airline' } });
    dataset = made.body.id;
    await app.client.call('PATCH', `/v2/datasets/${dataset}`, { body: { name: 'airline-v2' } });
  });

  it('shows a renaming before and after, and the dataset as it was (check 29)', async () => {
    const page = await open(`/history/dataset/${dataset}`);
    const renaming = page.locator('.entry', { hasText: 'Dataset renamed' });
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
    expect(await entries.locator('.entry-type').allTextContents()).to.include('Dataset renamed');
    await page.getByRole('heading', { name: 'History' }).click();
    await page.keyboard.press('j');
    await page.getByText('content digest').waitFor();
    expect(page.url()).to.match(/sel=\d+/);
    await page.getByRole('button', { name: 'Without the filter DatasetRenamed' }).click();
    await page.locator('.entry-type', { hasText: 'Dataset created' }).first().waitFor();
    const other = await open('/history', { theme: 'dark', width: 360 });
    await other.locator('.entry').first().waitFor();
    await expectAccessible(other);
  });

  it('proves an entry in a worker, offline too, and says what fails (check 30)', async () => {
    await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    const page = await open(`/history/dataset/${dataset}`);
    const renaming = page.locator('.entry', { hasText: 'Dataset renamed' });
    await renaming.getByRole('button', { name: /^#/ }).click();
    await renaming.getByRole('button', { name: 'Prove' }).click();
    const steps = (outcome: string) => renaming.locator(`.check-step[data-outcome=${outcome}]`);
    await steps('holds').nth(3).waitFor();
    await page.getByText('The key came from the service').waitFor();
    await renaming.getByRole('button', { name: 'Close the proof', expanded: true }).click();
    await steps('holds').first().waitFor({ state: 'detached' });
    await renaming.getByRole('button', { name: 'Prove', expanded: false }).click();
    await steps('holds').nth(3).waitFor();
    await expectAccessible(page);
    await page.context().setOffline(true);
    await renaming.getByRole('button', { name: 'Check again' }).click();
    await steps('holds').nth(3).waitFor();
    await page.context().setOffline(false);
    await page.route('**/v2/history/proof?*', async (route) => {
      const answer = await route.fetch();
      const json = (await answer.json()) as { readonly data: string };
      await route.fulfill({ json: { ...json, data: json.data.replace('airline', 'airlinf') } });
    });
    await page.reload();
    await steps('fails').waitFor();
    expect(await steps('fails').getAttribute('data-step')).to.equal('content');
    expect(await steps('holds').count()).to.equal(3);
  });

  it('checks the whole history, and calls a rewritten one so (check 31)', async () => {
    await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    const page = await open('/history');
    await page.getByText(/Sealed to [\d,]+ at .*kept by this browser/).waitFor();
    await page.getByRole('tab', { name: 'Whole history' }).click();
    await page.getByRole('button', { name: 'Check the whole history' }).click();
    await page.locator('.check-step[data-step=entries][data-outcome=holds]').waitFor();
    await page.locator('.check-step[data-step=signature][data-outcome=holds]').waitFor();
    await page.getByRole('button', { name: 'Ask the service too' }).click();
    await page.getByText('By its own word: intact').waitFor();
    await expectAccessible(page);
    await app.client.call('PATCH', `/v2/datasets/${dataset}`, { body: { name: 'airline-v3' } });
    await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    await page.reload();
    await page.getByText('continues what this browser kept').waitFor();
    const kept = await page.evaluate<string>("localStorage['assay.checkpoint']");
    const [origin, size, root = '', ...rest] = kept.split('\n');
    const other = root.startsWith('A') ? `B${root.slice(1)}` : `A${root.slice(1)}`;
    const forged = JSON.stringify([origin, size, other, ...rest].join('\n'));
    await page.evaluate(`localStorage['assay.checkpoint'] = ${forged}`);
    await page.reload();
    await page.getByRole('alert').getByText('This history was rewritten').waitFor();
  });

  it('checks the history of a project whose entries have others between them', async () => {
    const made = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: `parts ${Date.now()}` },
    });
    const root = `/v2/projects/${made.body.id}`;
    for (const count of [3, 1]) {
      const traces = Array.from({ length: count }, () => ({ input: 'To Oslo?', spans: [] }));
      await app.client.call('POST', `${root}/traces`, { body: { traces } });
      const name = `between ${count} ${Date.now()}`;
      await app.client.call('PATCH', `/v2/datasets/${dataset}`, { body: { name } });
    }
    await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    const page = await open(`/p/${made.body.id}/history`);
    const group = page.locator('.entry-group', { hasText: '3 traces logged' });
    await group.getByRole('button', { name: /entries$/ }).click();
    await group.locator('.entry', { hasText: 'Trace logged' }).nth(2).waitFor();
    await page.getByRole('tab', { name: 'Whole history' }).click();
    const check = page.getByRole('button', { name: 'Check the whole history' });
    await check.click();
    await page.locator('.check-step[data-step=entries][data-outcome=holds]').waitFor();
    const error = { code: 'not_found', detail: 'no seal yet' };
    await page.route('**/v2/history/export?*', (route) =>
      route.fulfill({ status: 404, json: error }),
    );
    await check.click();
    await page.getByText('This history is not sealed yet').waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('arrives at an entry that the list does not show', async () => {
    await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    const page = await open('/history#t=1h&type=RatingGiven&sel=2&prove=on');
    const linked = page.getByRole('region', { name: 'Entry 2', exact: true });
    await linked.locator('.entry.open .check-step').nth(3).waitFor();
    await linked.getByText('Unchanged since it was sealed').waitFor();
    await expectAccessible(page);
  });

  it('checks the certificate of an erasure, and says what a tampered one fails', async () => {
    const made = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: `erasure ${Date.now()}` },
    });
    const root = `/v2/projects/${made.body.id}`;
    const traces = [{ input: 'To Oslo?', spans: [] }];
    await app.client.call('POST', `${root}/traces`, { body: { traces } });
    const filters = [{ type: 'text', name: 'input', operator: 'eq', value: 'To Oslo?' }];
    await app.client.call('POST', `${root}/traces/delete`, { body: { filters } });
    await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
    const page = await open('/history#type=RecordsDeleted&technical=on');
    await page.getByRole('button', { name: /^#/ }).first().click();
    await page.getByRole('button', { name: 'Certificate' }).click();
    const check = page.getByRole('button', { name: 'Check the certificate' });
    const steps = (outcome: string) => page.locator(`.check-step[data-outcome=${outcome}]`);
    // Erasing follows the deletion, and a seal follows the erasing.
    await pollUntil('the erasure is sealed', 60_000, async () => {
      await opsCaller(app.opsUrl, { opsToken: null })(sealCommand, {});
      await check.click();
      // It is disabled during a check.
      await check.and(page.locator(':enabled')).waitFor();
      return (await steps('holds').count()) === 3;
    });
    const texts = await page.locator('.check-step').allTextContents();
    expect(await steps('holds').count(), texts.join('; ')).to.equal(3);
    await page.getByText('0 of 1').waitFor();
    expect(page.url()).to.match(/tab=erasure&cert=deletion:[0-9a-f-]{36}$/);
    await expectAccessible(page);
    await page.route('**/v2/history/certificate?*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace('"streams_left":0', '"streams_left":1');
      await route.fulfill({ response: answer, body });
    });
    await check.click();
    await steps('fails').waitFor();
    expect(await steps('fails').getAttribute('data-step')).to.equal('statement');
    expect(await steps('holds').count()).to.equal(2);
  });
});
