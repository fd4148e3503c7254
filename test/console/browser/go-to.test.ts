import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessible, pressPair } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages } from '../../support/console-pages.js';
import { upload } from '../../support/datasets.js';
import { pollUntilEqual } from '../../support/poll-until.js';

const externalId = '5b8efff798038103d269b633813fc60c';

describeInBrowser('the console, the search for places and the keys', () => {
  let app: App;
  const { open } = consolePages();
  let project: string;
  let trace: string;
  const name = `places ${Date.now()}`;
  before(async () => {
    app = await sharedApp();
    const made = await app.client.call<{ id: string }>('POST', '/v2/projects', { body: { name } });
    project = made.body.id;
    const traces = [{ name: 'book', input: 'To Oslo?', external_id: externalId, spans: [] }];
    const logged = await app.client.call<{ trace_ids: string[] }>(
      'POST',
      `/v2/projects/${project}/traces`,
      { body: { traces } },
    );
    trace = logged.body.trace_ids[0] ?? '';
    await app.client.call('POST', `/v2/projects/${project}/experiments`, {
      body: { name: `${name} experiment` },
    });
    await upload(app, { file: 'question\nTo Oslo?\n', parts: { name: `${name} dataset` } });
  });
  /** Opens the search by its key and types. */
  const find = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Name or id' });
    await field.fill(text);
    return {
      field,
      places: (kind: string) =>
        page.getByRole('listbox', { name: 'Places' }).getByRole('group', { name: kind }),
    };
  };

  it('finds by name in all kinds, at most three questions at once, and goes by keys', async () => {
    const page = await open(`/p/${project}/traces`);
    await page.getByRole('grid').waitFor();
    let running = 0;
    let most = 0;
    const asked: string[] = [];
    const lists = /\/(paginated|query|scorers\/list|(log_streams|experiments)\/search)(\?|$)/;
    await page.route(lists, async (route) => {
      asked.push(new URL(route.request().url()).pathname);
      most = Math.max(most, (running += 1));
      const answer = await route.fetch();
      running -= 1;
      await route.fulfill({ response: answer });
    });
    const { field, places } = await find(page, name);
    await places('Projects').getByRole('option', { name }).waitFor();
    await places('Experiments')
      .getByRole('option', { name: `${name} experiment` })
      .waitFor();
    await page.getByText(/^\d places\.$/).waitFor();
    expect(most).to.be.within(1, 3);
    expect(asked.filter((path) => path.endsWith('/projects/paginated'))).to.have.length(1);
    await expectAccessible(page);
    // From the first place to the last.
    await field.press('ArrowUp');
    const chosen = page
      .getByRole('listbox', { name: 'Places' })
      .getByRole('option', { selected: true });
    expect(await chosen.textContent()).to.include(`${name} experiment`);
    expect(await field.getAttribute('aria-activedescendant')).to.equal(
      await chosen.getAttribute('id'),
    );
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Experiments' }).waitFor();
    expect(page.url()).to.match(new RegExp(`/p/${project}/experiments#open=[0-9a-f-]{36}$`));
  });

  it('finds records by an id of either side, and goes back to recent places', async () => {
    const page = await open(`/p/${project}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const id of [externalId, trace]) {
      const { field, places } = await find(page, id);
      await places('Traces').getByRole('option', { name: 'book' }).waitFor();
      await field.press('Enter');
      await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
      expect(page.url()).to.include(`/p/${project}/traces/${trace}`);
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
    await page.getByRole('button', { name: /^Go to/ }).click();
    const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
    await pollUntilEqual(() => recent.allTextContents(), [`book${name}`]);
    await recent.click();
    await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
    const other = await open('/', { theme: 'dark', width: 360 });
    await find(other, name);
    await other.getByText('Open a project to search its log streams').waitFor();
    await expectAccessible(other);
  });

  it('prefers a pair of keys to the second key alone, also to that of a grid', async () => {
    const page = await open(`/p/${project}/traces/${trace}`);
    await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
    // There `h` alone folds.
    await pressPair(page, 'g', 'h');
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await page.goto(`${app.url}/console/p/${project}/traces`);
    await page.getByRole('grid', { name: 'traces' }).focus();
    // There `s` alone sorts.
    await pressPair(page, 'g', 's');
    await page.getByRole('tab', { name: 'Sessions', selected: true }).waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/console/p/${project}/sessions`);
  });

  it('gives the focus to what a key opens before the next key comes', async () => {
    const page = await open(`/p/${project}/traces/${trace}`);
    await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
    // As on a busy machine: nothing is painted after the key.
    const focusAfter = (key: string): Promise<string> =>
      page.evaluate<string>(`(async () => {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
        await null;
        const { activeElement: focus } = document;
        return focus.ariaLabel ?? focus.closest('dialog')?.querySelector('h2').textContent;
      })()`);
    expect(await focusAfter('f')).to.equal('Find in this trace');
    await page.keyboard.press('Escape');
    expect(await focusAfter('?')).to.equal('Keys');
  });

  it('lists the keys of the place, and leaves Enter and Escape to what has the focus', async () => {
    const page = await open(`/p/${project}/traces`);
    await page.getByRole('grid', { name: 'traces' }).waitFor();
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await keys.waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await keys.waitFor();
    const listed = await keys.getByRole('row').allTextContents();
    expect(listed).to.include.members([
      'Ctrl KGo to',
      'g hHistory',
      'xSelect the row',
      'Ctrl ASelect all rows that are loaded, or none',
      'Shift ↓Select this row and the next',
      'sSort by the column',
      'yCopy the link of this view',
    ]);
    expect(new Set(listed).size).to.equal(listed.length);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.goto(`${app.url}/console/p/${project}/traces/${trace}`);
    await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
    // The page has commands for both keys.
    await page.getByRole('button', { name: /^Go to/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
