import '../../engines/node/minimum-version.js';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openTestBrowser, signIn } from '../support/browser.js';
import { startChild } from '../support/child-process.js';
import { temporaryFolder } from '../support/folder.js';
import { program, repository } from '../support/test-environment.js';

/**
 * Takes the pictures of docs/pictures anew, from the demo's data (`npm run console:pictures`).
 * Fails when one has more than 150 KB.
 */
const folder = join(repository, 'docs/pictures');
const bytesMax = 150 * 1_024;
const password = 'a password for pictures';

type Picture = {
  readonly name: string;
  /** `project`: the address of the demo's project. */
  readonly take: (page: Page, project: string) => Promise<void>;
};

const openTraces = async (page: Page, project: string, filter: string): Promise<void> => {
  await page.goto(`${project}/traces#t=7d&f=${encodeURIComponent(filter)}`);
  await page.getByRole('grid').waitFor();
};

const pictures: readonly Picture[] = [
  {
    name: 'overview',
    take: async (page, project) => {
      await page.goto(`${project}#t=7d`);
      await page.getByRole('region', { name: 'Cost' }).waitFor();
    },
  },
  {
    name: 'explorer',
    take: (page, project) => openTraces(page, project, 'status_code >= 400'),
  },
  {
    name: 'trace',
    take: async (page, project) => {
      await openTraces(page, project, 'name ~ "book" and status_code >= 400');
      await page.getByRole('grid').getByRole('link').first().click();
      await page.getByRole('treegrid').waitFor();
    },
  },
  {
    name: 'compare',
    take: async (page, project) => {
      await page.goto(`${project}/experiments`);
      for (const name of ['prompt-a', 'prompt-b']) {
        await page.getByRole('row', { name }).getByRole('checkbox').check();
      }
      await page.getByRole('link', { name: 'Compare' }).click();
      await page.getByText('I need a flight').first().waitFor();
    },
  },
];

const { dir, remove } = await temporaryFolder();
const { child, match } = await startChild({
  what: 'the demo',
  command: process.execPath,
  args: [program, 'demo', '--seed', '7'],
  env: {
    ASSAY_DATA_DIR: dir,
    ASSAY_PORT: '0',
    ASSAY_OPS_PORT: '0',
    ASSAY_BOOTSTRAP_PASSWORD: password,
  },
  ready: /^Look at it: (http.+)\/console\/$/,
  withinMs: 120_000,
});
try {
  await mkdir(folder, { recursive: true });
  const browser = await openTestBrowser(match[1] ?? '', { width: 1_120, height: 640 });
  const page = await browser.open('/');
  await signIn(page, 'admin@localhost', password);
  const link = page.getByRole('link', { name: 'demo', exact: true });
  const project = `${match[1] ?? ''}${(await link.getAttribute('href')) ?? ''}`;
  for (const { name, take } of pictures) {
    await take(page, project);
    await page.waitForLoadState('networkidle');
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    const { size } = await stat(path);
    if (size > bytesMax) throw new Error(`${path} has ${size} bytes, at most ${bytesMax}`);
    process.stdout.write(`${path}\n`);
  }
} finally {
  await child.kill();
  await remove();
}
process.exit(0);
