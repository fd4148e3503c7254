import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ExperimentComparison } from '../../../contract/experiment-comparison.js';
import { metricLabel } from '../../../console/parts/metrics.js';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessibleEverywhere } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages } from '../../support/console-pages.js';
import { comparedProject, type ComparedProject } from '../../support/compared-experiments.js';
import { pollUntilEqual } from '../../support/poll-until.js';

describeInBrowser('the console, comparing experiments', () => {
  let app: App;
  let project: ComparedProject;
  const { open } = consolePages();
  before(async () => {
    app = await sharedApp();
    project = await comparedProject(app, `comparison ${Date.now()}`);
  });

  type Name = keyof ComparedProject['ids'];
  const path = (base: Name, other: Name, view = ''): string => {
    const { ids, projectId } = project;
    return `/p/${projectId}/experiments/compare#base=${ids[base]}&with=${ids[other]}${view}`;
  };
  const opened = async (address: string): Promise<Page> => {
    const page = await open(address);
    await page.getByRole('heading', { name: 'Compare' }).waitFor();
    return page;
  };
  const compared = async (seed: number): Promise<ExperimentComparison> => {
    const { ids, projectId } = project;
    const answer = await app.client.call<ExperimentComparison>(
      'POST',
      `/v2/projects/${projectId}/experiments/compare`,
      { body: { experiment_ids: [ids['prompt-a'], ids['prompt-b']], seed } },
    );
    return answer.body;
  };

  it('shows the regressions first, and the intervals of the seed (check 26)', async () => {
    const page = await opened(path('prompt-a', 'prompt-b', '&seed=7'));
    const metrics = page.getByRole('group', { name: 'Metrics' });
    const reward = metrics.getByRole('row').filter({ hasText: 'reward' });
    await reward.waitFor();
    const { metrics: expected } = await compared(7);
    expect(await metrics.getByRole('row').filter({ hasText: 'deprecated' }).count()).to.equal(0);
    await page.getByText('Deprecated metrics (2)').click();
    await page.getByText('“of 20”: on the other rows one of the two has no value.').waitFor();
    for (const { metric, experiments } of expected) {
      const against = experiments[1]?.against_baseline;
      const interval = against?.confidence_interval;
      const row = metrics.getByRole('row').filter({
        has: page.getByRole('button', {
          name: new RegExp(`^${metricLabel(metric).replaceAll(/[()]/g, '.')} [↑↓]$`),
        }),
      });
      const cells = await row.getByRole('cell').allInnerTexts();
      const counts = [against?.wins, against?.ties, against?.losses].map(String);
      expect(cells.slice(-3), metric).to.deep.equal(counts);
      expect(cells.at(-4), metric).to.equal(`${against?.num_rows} of 20`);
      const bounds = (cells[3] ?? '').match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
      const isNanoseconds = metric.endsWith('_ns');
      if (!isNanoseconds && interval != null) {
        expect(bounds[0], metric).to.be.closeTo(interval.lower, Math.abs(interval.lower) / 50);
        expect(bounds[1], metric).to.be.closeTo(interval.upper, Math.abs(interval.upper) / 50);
        const isBold = (await row.locator('.interval strong').count()) === 1;
        expect(isBold, metric).to.equal(interval.lower > 0 || interval.upper < 0);
      }
    }
    await page.getByRole('tab', { name: 'regressions 7', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'improvements 6' }).waitFor();
    await page.getByRole('tab', { name: 'missing 2' }).waitFor();
    await page.getByText('prompt-b lacks 2 rows.').waitFor();
    const names = page.getByRole('group', { name: 'Compared rows' }).getByRole('rowheader');
    const losses = [6, 5, 4, 3, 2, 1, 0].map((row) => `Question ${row}`);
    await pollUntilEqual(() => names.allInnerTexts(), losses);
  });

  it('opens rows by key, with outputs as difference and links to both traces', async () => {
    const page = await opened(path('prompt-a', 'prompt-b'));
    await page.getByRole('rowheader', { name: 'Question 6' }).waitFor();
    await page.keyboard.press('n');
    const output = page.getByRole('region', { name: 'Output of prompt-b' });
    await output.locator('ins', { hasText: 'sold out' }).waitFor();
    await output.locator('del', { hasText: 'booked' }).waitFor();
    await page.getByRole('link', { name: 'Trace of prompt-a' }).waitFor();
    await page.keyboard.press('t');
    await page.getByText('by lines.').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Question 5', expanded: true }).waitFor();
    await page.getByRole('link', { name: 'Trace of prompt-b' }).click();
    await page.getByText('The flight 5 is sold out').first().waitFor();
  });

  it('says in a sentence that no row changed (check 26)', async () => {
    const page = await opened(path('prompt-a', 'prompt-c'));
    await page.getByText('No row changed: on 20 rows every metric is the same.').waitFor();
    const itself = await open(path('prompt-a', 'prompt-a'));
    await itself.getByText('No row changed: the experiment is compared with itself.').waitFor();
  });

  it('shows every experiment on a narrow screen', async () => {
    const page = await open(path('prompt-a', 'prompt-b'), { width: 360 });
    await page.getByRole('rowheader', { name: 'Question 6' }).waitFor();
    const cells = page.locator('.compared-metrics tbody tr').first().locator('td');
    await cells.first().waitFor();
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect((box?.x ?? 400) + (box?.width ?? 0)).to.be.at.most(360);
    }
  });

  it('is accessible in both themes at 1,280 and 360 px (check 34)', async () => {
    const page = await opened(path('prompt-a', 'prompt-b'));
    await page.getByRole('rowheader', { name: 'Question 6' }).waitFor();
    await page.keyboard.press('n');
    await page.locator('ins').first().waitFor();
    await expectAccessibleEverywhere(page);
  });
});
