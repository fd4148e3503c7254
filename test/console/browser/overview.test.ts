import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessible, expectAccessibleEverywhere, pressPair } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages, newProject } from '../../support/console-pages.js';

const minuteMs = 60_000;
const models = 9;

type Search = {
  readonly start_time: string;
  readonly end_time: string;
  readonly interval_minutes: number | null;
  readonly group_by?: string;
};

describeInBrowser('the console, the overview of a project', () => {
  let app: App;
  const pages = consolePages();
  let projectId: string;
  before(async () => {
    app = await sharedApp();
    projectId = await createProject();
    const now = Date.now();
    // Each of nine models in as many traces as its number; the ninth of each failed.
    const traces = Array.from({ length: models }, (_model, index) => index + 1).flatMap((model) =>
      Array.from({ length: model }, (_trace, index) => ({
        name: 'chat',
        input: 'question',
        output: 'answer',
        created_at: new Date(now - (index + 1) * 5 * minuteMs).toISOString(),
        status_code: index === 8 ? 500 : 200,
        metrics: { toxicity: 0.3 },
        spans: [
          {
            type: 'llm',
            name: 'answer',
            model: `model-${model}`,
            input: 'question',
            output: 'answer',
            metrics: { cost: 0.01, num_input_tokens: 10, duration_ns: 1e9 },
          },
        ],
      })),
    );
    const { status } = await app.client.call('POST', `/v2/projects/${projectId}/traces`, {
      body: { traces },
    });
    expect(status).to.equal(200);
  });

  const createProject = (): Promise<string> => newProject(app, 'overview');
  const open = async (view = ''): Promise<Page> => {
    const page = await pages.open(`/p/${projectId}${view}`);
    await page.locator('.overview-card').first().waitFor();
    return page;
  };
  const searchesOf = (page: Page): readonly Search[] => {
    const searches: Search[] = [];
    page.on('request', (request) => {
      if (request.url().includes('custom_search')) searches.push(request.postDataJSON() as Search);
    });
    return searches;
  };
  const rangeOf = (page: Page): readonly string[] =>
    decodeURIComponent(/[#&]t=([^&]*)/.exec(page.url())?.[1] ?? '').split('..');

  it('gives a dragged range to all charts and the explorer (check 21)', async () => {
    const page = await open('#t=1h');
    const chart = page.getByRole('region', { name: 'Errors' }).getByRole('img');
    await chart.waitFor();
    const searches = searchesOf(page);
    const drag = async (from: number, to: number): Promise<void> => {
      const box = await chart.boundingBox();
      if (box === null) throw new Error('The chart is not on the page');
      await page.mouse.move(box.x + box.width * from, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to, box.y + 40, { steps: 4 });
      await page.mouse.up();
    };
    await drag(0.3, 0.9);
    await page.waitForURL(/t=\d{4}-/);
    const range = rangeOf(page);
    expect(range[0]).to.match(/:00\.000000Z$/);
    expect(range[1]).to.match(/:59\.999999Z$/);
    await page.locator('.overview-cards[aria-busy=false]').waitFor();
    const asked = searches.filter(({ interval_minutes }) => interval_minutes !== null);
    expect(asked.length).to.be.at.least(2);
    for (const { start_time, end_time } of asked) {
      expect([start_time, end_time]).to.deep.equal(range);
    }
    await page.keyboard.down('Shift');
    await drag(0.5, 0.75);
    await page.keyboard.up('Shift');
    await page.waitForURL((url) => !url.href.includes(range[0] ?? '-'));
    const moved = rangeOf(page).map((instant) => Date.parse(instant));
    const [from, to] = range.map((instant) => Date.parse(instant)) as [number, number];
    expect((moved[1] ?? 0) - (moved[0] ?? 0)).to.be.closeTo(to - from, 1);
    expect(moved[0]).to.be.lessThan(from);
    await page.keyboard.press('z');
    await page.waitForURL((url) => url.href.includes(range[0] ?? '-'));
    await page.getByRole('link', { name: 'All traces' }).click();
    await page.getByRole('grid').waitFor();
    expect(rangeOf(page)).to.deep.equal(range);
  });

  it('says that spans are counted by model, and sums up beyond 8 groups (check 22)', async () => {
    const page = await open('#by=model');
    await page.getByText('Spans of the kind llm are counted: only they have a model').waitFor();
    const groups = page.getByRole('region', { name: 'Groups' });
    const texts = await groups.getByRole('listitem').allInnerTexts();
    expect(texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())).to.deep.equal([
      ...Array.from({ length: 8 }, (_group, index) => `model-${9 - index} ${9 - index}`),
      '1 more 1',
    ]);
    expect(await page.locator('[aria-label="LLM spans"] .chart-series').count()).to.equal(8);
    // Headline and lines count the same records.
    const spans = page.getByRole('region', { name: 'LLM spans', exact: true });
    await spans.locator('strong', { hasText: '45' }).waitFor();
    await page.getByText(/Recorded on traces, not on spans: Output Toxicity/).waitFor();
    await page.getByRole('link', { name: 'Group by Model of any span, traces' }).click();
    await page.getByRole('region', { name: 'Output Toxicity, average' }).waitFor();
    await page.getByRole('region', { name: 'Traces', exact: true }).waitFor();
    await page.goBack();
    await groups.getByRole('link', { name: 'model-9' }).click();
    await page.getByRole('grid').waitFor();
    expect(new URL(page.url()).pathname).to.match(/\/spans$/);
    await page.getByText(/^9 of/).waitFor();
  });

  it('leads to failed records, and to the first run without any', async () => {
    const page = await open();
    await page.getByRole('link', { name: '1 errors' }).click();
    await page.getByText(/^1 of/).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Traces' }).getByText('45').first().waitFor();
    const empty = await createProject();
    await page.goto(`${app.url}/console/p/${empty}`);
    await page.getByRole('heading', { name: 'Send a first trace' }).waitFor();
  });

  it('shows old records, and keeps their range and the project on other pages', async () => {
    const old = await createProject();
    const trace = { name: 'imported', created_at: '2025-03-03T10:00:00Z', spans: [] };
    const path = `/v2/projects/${old}/traces`;
    await app.client.call('POST', path, { body: { traces: [trace] } });
    const page = await pages.open(`/p/${old}`);
    await page.getByText('Nothing was recorded in this range').waitFor();
    expect(await page.getByRole('button', { name: 'Show experiments too' }).count()).to.equal(0);
    const rail = page.getByRole('navigation', { name: 'Pages' });
    await rail.getByRole('link', { name: 'Traces' }).click();
    await page.getByText(/^The newest record is of 3 Mar 2025 /).waitFor();
    await page.getByRole('button', { name: 'Show the day up to it' }).click();
    await page.getByRole('grid').getByText('imported').waitFor();
    const range = rangeOf(page);
    expect(range[0]).to.equal('2025-03-02T10:00:00.000000Z');
    await rail.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('None here has a cost').waitFor();
    expect(rangeOf(page)).to.deep.equal(range);
    await rail.getByRole('link', { name: 'Datasets' }).click();
    await page.getByRole('heading', { name: 'Datasets' }).waitFor();
    await pressPair(page, 'g', 't');
    await page.getByRole('grid').getByText('imported').waitFor();
    expect(rangeOf(page)).to.deep.equal(range);
    expect(new URL(page.url()).pathname).to.equal(`/console/p/${old}/traces`);
  });

  it('leaves experiments out until they are wanted', async () => {
    const other = await createProject();
    const root = `/v2/projects/${other}`;
    const trace = { name: 'chat', input: 'question', output: 'answer' };
    const streams = await app.client.call('POST', `${root}/traces`, { body: { traces: [trace] } });
    expect(streams.status).to.equal(200);
    const { body } = await app.client.call<{ id: string }>('POST', `${root}/experiments`, {
      body: { name: 'prompt-a' },
    });
    await app.client.call('POST', `${root}/traces`, {
      body: { experiment_id: body.id, traces: [trace, trace] },
    });
    const page = await pages.open(`/p/${other}`);
    const headline = page.getByRole('region', { name: 'Traces' }).locator('strong');
    await headline.filter({ hasText: /^1\s*$/ }).waitFor();
    expect(page.url()).to.not.include('run=');
    await page
      .getByLabel('Log stream or experiment')
      .selectOption('Experiments and validations too');
    await headline.filter({ hasText: /^3\s*$/ }).waitFor();
    expect(page.url()).to.include('run=all');
  });

  it('draws the thresholds of a metric with their words', async () => {
    const page = await open();
    const toxicity = page.getByRole('region', { name: 'Output Toxicity, average' });
    await toxicity.getByRole('img', { name: /Medium from 0\.5\S*\. High from 0\.8/ }).waitFor();
    await toxicity.getByText(/^0\.50* Medium$/).waitFor();
    expect(await toxicity.locator('.chart-threshold').count()).to.equal(2);
    expect(await page.locator('.chart-threshold').count()).to.equal(2);
  });

  it('opens the records of a group in a bucket from the table', async () => {
    const page = await open('#by=model&show=tables');
    const table = page.getByRole('table', { name: 'LLM spans', exact: true });
    // Links to the latest records of the first group; most buckets have none of it.
    const link = table.locator('td:first-of-type').getByRole('link').first();
    await link.waitFor();
    expect(await table.getByRole('link', { name: '0', exact: true }).count()).to.equal(0);
    await link.click();
    await page.getByRole('grid').waitFor();
    expect(decodeURIComponent(page.url())).to.match(/t=\d{4}-.*f=model = "?model-9"?/);
  });

  it('is accessible in both themes at 1,280 and 360 px (check 34)', async () => {
    const page = await open('#by=model');
    await expectAccessibleEverywhere(page);
    await page.getByRole('heading', { name: 'Overview' }).click();
    await page.keyboard.press('d');
    await page.getByRole('table', { name: 'LLM spans', exact: true }).waitFor();
    await expectAccessible(page);
  });
});
