import { join } from 'node:path';
import { expect } from 'chai';
import { openTestBrowser } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { temporaryFolder } from '../../support/folder.js';
import { startService } from '../../support/service-process.js';

describeInBrowser('the first start of the service', () => {
  it('prints one link that shows the projects, signed in, once (check 1)', async () => {
    const folder = await temporaryFolder();
    // An empty key is none, as where nobody sets the variable: the first start makes one.
    const environment = { ASSAY_CONSOLE: 'on', ASSAY_BOOTSTRAP_API_KEY: '' };
    const start = { dir: join(folder.dir, 'data'), env: environment };
    const linksOf = (output: string): readonly string[] =>
      output.match(/http:\S+\/console\/invitation#token=\S+/g) ?? [];
    const first = await startService(start);
    try {
      const links = linksOf(first.output());
      expect(links, first.output()).to.have.length(1);
      const path = links[0]?.slice(`${first.url}/console`.length) ?? '';
      const browser = await openTestBrowser(first.url);
      const page = await browser.open(path);
      await page.locator('input:focus').waitFor();
      await page.keyboard.type('the password of the admin');
      await page.getByRole('button', { name: 'Set the password and sign in' }).click();
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
      await page.getByRole('link', { name: 'admin@localhost' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
      const other = await openTestBrowser(first.url);
      const again = await other.open(path);
      await again.getByLabel('Choose a password').fill('the password of another');
      await again.getByRole('button', { name: 'Set the password and sign in' }).click();
      await again.getByRole('alert').waitFor();
      await Promise.all([browser.close(), other.close()]);
      expect([...browser.offences, ...other.offences]).to.deep.equal([]);
    } finally {
      await first.stop();
    }
    const second = await startService(start);
    expect(linksOf(second.output())).to.deep.equal([]);
    await second.stop();
    await folder.remove();
  });
});
