import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessibleEverywhere, untilPainted } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { comparedProject, type ComparedProject } from '../../support/compared-experiments.js';
import { consolePages } from '../../support/console-pages.js';

describeInBrowser('the console, experiments', () => {
  let app: App;
  let project: ComparedProject;
  const { open } = consolePages();
  before(async () => {
    app = await sharedApp();
    project = await comparedProject(app, `experiments ${Date.now()}`);
  });

  const path = (view = '') => `/p/${project.projectId}/experiments${view}`;
  const opened = async (view: string, name: string): Promise<Page> => {
    const page = await open(path(view));
    await page.getByRole('gridcell', { name }).waitFor();
    return page;
  };
  const rowsOf = (page: Page) =>
    page
      .getByRole('grid', { name: 'Experiments' })
      .getByRole('row')
      .filter({ hasNot: page.getByRole('columnheader') });
  type Ranked = {
    readonly name: string;
    readonly rank: number | null;
    readonly winner_source: string | null;
  };
  const searched = async (): Promise<readonly Ranked[]> => {
    const body = { sort: { name: 'rank' } };
    const place = `/v2/projects/${project.projectId}/experiments/search`;
    const answer = await app.client.call<{ readonly experiments: readonly Ranked[] }>(
      'POST',
      place,
      { body },
    );
    return answer.body.experiments;
  };
  const expectRanks = async (page: Page): Promise<void> => {
    const expected = await searched();
    for (const [index, { name, rank }] of expected.entries()) {
      const hasText = new RegExp(`^(?:[★☆])? ?${rank} ?${name}`);
      await rowsOf(page).nth(index).filter({ hasText }).waitFor();
    }
  };

  it('ranks by the criteria that are set, and stars the winner (check 25)', async () => {
    const page = await opened('', 'prompt-a');
    await page.getByText('Ranked by reward ↑ ×2').waitFor();
    await expectRanks(page);
    const criteria = async (change: () => Promise<void>, text: string): Promise<void> => {
      await page.getByRole('button', { name: 'Criteria' }).click();
      await change();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(text).waitFor();
      await expectRanks(page);
    };
    const dialog = page.getByRole('dialog');
    await criteria(async () => {
      await dialog.getByLabel('Direction').selectOption('lower');
    }, 'Ranked by reward ↓ ×2');
    await criteria(async () => {
      await dialog.getByRole('button', { name: 'Add a metric' }).click();
      await dialog.getByLabel('Metric').nth(1).selectOption('cost');
      await dialog.getByLabel('Weight').nth(1).fill('5');
    }, 'Ranked by reward ↓ ×2, Cost ↑ ×5');
    await page.getByRole('img', { name: 'Winner by its rank' }).waitFor();
    await rowsOf(page).filter({ hasText: 'prompt-a' }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Winner', exact: true }).click();
    await page.getByRole('img', { name: 'Winner, chosen' }).waitFor();
    const chosen = (await searched()).find(({ winner_source }) => winner_source === 'chosen');
    expect(chosen?.name).to.equal('prompt-a');
    await page.getByRole('button', { name: 'Withdraw winner' }).click();
    await page.getByRole('img', { name: 'Winner by its rank' }).waitFor();
  });

  it('opens an experiment by one click on its name, and goes on with its age', async () => {
    const page = await opened('', 'prompt-b');
    await page.getByRole('link', { name: 'prompt-b' }).click();
    await page.getByRole('heading', { name: 'prompt-b' }).waitFor();
    await page.getByRole('region', { name: 'One experiment' }).getByText('Duration').waitFor();
    expect(page.url()).to.include(`open=${project.ids['prompt-b']}`);
    await page.getByRole('button', { name: 'Criteria' }).click();
    const weight = page.getByRole('dialog').getByLabel('Weight').first();
    await weight.waitFor();
    expect((await weight.boundingBox())?.width).to.be.at.least(72);
    await page.clock.install();
    await page.goto(`${app.url}/console${path()}`);
    await page
      .getByRole('gridcell', { name: /^\d+ (s|min)$/ })
      .first()
      .waitFor();
    // The page waits for the next age once it has painted this one.
    await untilPainted(page);
    await page.clock.fastForward(7_200_000);
    await page.getByRole('gridcell', { name: /^2 h$/ }).first().waitFor();
  });

  it('tags, groups and deletes by keyboard and dialog', async () => {
    const page = await opened('#find=prompt-c', 'prompt-c');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Tag' }).click();
    await page.getByLabel('Key').fill('release');
    await page.getByLabel('Value').fill('1.2');
    await page.getByRole('dialog').getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('gridcell', { name: 'release: 1.2' }).waitFor();
    await page.getByRole('button', { name: 'Group', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Group').selectOption('New group…');
    await page.getByLabel('Name of the new group').fill('others');
    await page.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete…' }).click();
    const confirm = page.getByRole('button', { name: 'Delete', exact: true });
    expect(await confirm.isDisabled()).to.equal(true);
    await page.getByLabel('Type prompt-c to confirm').fill('prompt-c');
    await confirm.click();
    await page.getByText('No experiment matches').waitFor();
  });

  it('is accessible in both themes at 1,280 and 360 px (check 34)', async () => {
    const page = await open(path(`#open=${project.ids['prompt-a']}`));
    await page.getByRole('heading', { name: 'prompt-a' }).waitFor();
    await expectAccessibleEverywhere(page);
  });
});
