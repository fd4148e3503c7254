import { expect } from 'chai';
import { sharedApp } from '../../support/app.js';
import { expectAccessible, untilInPage } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages, newProject } from '../../support/console-pages.js';

const turnCount = 1_000;
const failed = [40, 410, 777];

describeInBrowser('the page of a session', () => {
  const { open } = consolePages();

  it('reads 1,000 turns in order and opens the third failed one (check 20)', async () => {
    const app = await sharedApp();
    const project = await newProject(app, 'sessions in the console');
    const root = `/v2/projects/${project}`;
    const { body: session } = await app.client.call<{ id: string }>('POST', `${root}/sessions`, {
      body: { name: 'chat 40' },
    });
    const traces = Array.from({ length: turnCount }, (_turn, index) => ({
      name: 'turn',
      created_at: new Date(Date.parse('2026-03-01T09:00:00Z') + index * 1_000).toISOString(),
      input: `question ${index + 1}`,
      output: `answer ${index + 1}`,
      status_code: failed.includes(index + 1) ? 500 : 200,
      metrics: { duration_ns: 500_000_000, cost: 0.001 },
    }));
    await app.client.call('POST', `${root}/traces`, {
      body: { session_id: session.id, traces: traces.toReversed() },
    });
    const page = await open(`/p/${project}/sessions/${session.id}`);
    await page.getByText('1,000 turns').waitFor();
    const turns = page.getByRole('article');
    await turns.first().waitFor();
    expect((await turns.allInnerTexts()).slice(0, 3).join('\n')).to.match(
      /question 1\b[^]*answer 1\b[^]*question 2\b[^]*answer 2\b[^]*question 3\b/,
    );
    expect(await turns.count()).to.be.at.most(200);
    await expectAccessible(page);
    await page.getByRole('navigation', { name: 'Turns' }).getByRole('button').nth(2).click();
    const third = page.getByRole('article', { name: 'Turn 777', exact: true });
    await third.getByText('question 777').waitFor();
    await third.and(page.locator('[aria-current="true"]')).waitFor();
    // It is scrolled to after it was drawn, and again when the texts around it came.
    const place = `document.querySelector('[aria-label="Turn 777"]').getBoundingClientRect()`;
    await untilInPage(page, `${place}.top >= 0 && ${place}.top <= 800`);
    await page.keyboard.press('j');
    await page.getByRole('article', { name: 'Turn 778', exact: true }).waitFor();
    await page.keyboard.press('!');
    await page.getByRole('article', { name: 'Turn 40', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('treegrid', { name: 'Spans' }).waitFor();
    await page.getByRole('region', { name: 'Selected record' }).getByText('question 40').waitFor();
  });
});
