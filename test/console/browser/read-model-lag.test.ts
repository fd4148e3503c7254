import { expect } from 'chai';
import { appPassword, sharedApp, type App } from '../../support/app.js';
import { openTestBrowser, signIn } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';

type Made = { readonly id: string };

describeInBrowser('the console while the read model lags', () => {
  let app: App;
  before(async () => {
    app = await sharedApp();
  });

  it('says that a rating is not folded yet, how far behind, and shows it (check 33)', async () => {
    const { body: project } = await app.client.call<Made>('POST', '/v2/projects', {
      body: { name: `lagging ${Date.now()}` },
    });
    const root = `/v2/projects/${project.id}`;
    await app.client.call('POST', `${root}/annotation/templates`, {
      body: { name: 'Helpful', constraints: { annotation_type: 'star' } },
    });
    const { body } = await app.client.call<{ readonly trace_ids: readonly string[] }>(
      'POST',
      `${root}/traces`,
      { body: { traces: [{ name: 'rated', input: 'q', output: 'a' }], include_trace_ids: true } },
    );
    const browser = await openTestBrowser(app.url);
    const page = await browser.open(`/p/${project.id}/traces/${body.trace_ids[0]}`);
    await signIn(page, 'admin@localhost', appPassword);
    const stars = page.getByRole('group', { name: 'Helpful' });
    await stars.waitFor();
    await app.projector.pause('records');
    try {
      await stars.getByRole('button', { name: '3 stars' }).click();
      await page.getByText('Not folded yet: this is from before your last change.').waitFor();
      await page.getByText(/^The service is \d+ s behind\.$/).waitFor();
      const pressed = stars.getByRole('button', { name: '3 stars', pressed: true });
      expect(await pressed.count()).to.equal(0);
      await app.projector.resume('records');
      await pressed.waitFor();
      await page.getByText('Not folded yet').waitFor({ state: 'detached' });
    } finally {
      await app.projector.resume('records');
    }
    await browser.close();
    expect(browser.offences).to.deep.equal([]);
  });
});
