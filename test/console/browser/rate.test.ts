import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedApp, type App } from '../../support/app.js';
import { expectAccessible, pressPair } from '../../support/browser.js';
import { describeInBrowser } from '../../support/browser-suites.js';
import { consolePages, newProject } from '../../support/console-pages.js';

type Made = { readonly id: string };
type Template = Made & { readonly name: string; readonly position: number };
type Rated = Made & {
  readonly name: string;
  readonly annotations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

const templates = [
  { name: 'Helpful', constraints: { annotation_type: 'star' } },
  { name: 'Correct', constraints: { annotation_type: 'like_dislike' } },
  { name: 'Tone', constraints: { annotation_type: 'score', min: 0, max: 10 } },
  {
    name: 'Reason',
    constraints: { annotation_type: 'choice', choices: ['refund', 'booking', 'other topic'] },
  },
  { name: 'Issues', constraints: { annotation_type: 'tags', tags: ['late', 'rude', 'wrong'] } },
  { name: 'Note', constraints: { annotation_type: 'text' }, include_explanation: false },
];

/** Time from `Ctrl+Enter` to the paint of the next trace, in ms, collected in the page. */
const watchSteps = `(() => {
  const heading = () => document.querySelector('[aria-label="Trace to judge"] h2')?.textContent;
  window.steps = [];
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.ctrlKey) return;
    const begin = performance.now();
    const before = heading();
    const look = () => requestAnimationFrame(() => {
      if (heading() === before) return look();
      requestAnimationFrame(() => window.steps.push(performance.now() - begin));
    });
    look();
  }, true);
})()`;

describeInBrowser('the console, templates and rate', () => {
  let app: App;
  const { open: openPage, openBrowser } = consolePages();
  before(async () => {
    app = await sharedApp();
  });

  const post = async <T>(path: string, body: object): Promise<T> =>
    (await app.client.call<T>('POST', `/v2/${path}`, { body })).body;
  const makeProject = async (name: string, traces: number, made = templates): Promise<string> => {
    const id = await newProject(app, name);
    for (const template of made) await post(`projects/${id}/annotation/templates`, template);
    const logged = Array.from({ length: traces }, (_trace, index) => ({
      name: `trace ${index + 1}`,
      created_at: new Date(Date.now() - (index + 1) * 1_000).toISOString(),
      input: `Where is my refund for order ${index}?`,
      output: `I have opened refund ${index}.`,
    }));
    if (traces > 0) await post(`projects/${id}/traces`, { traces: logged });
    return id;
  };
  const ratedTraces = async (projectId: string): Promise<readonly Rated[]> =>
    (await post<{ records: readonly Rated[] }>(`projects/${projectId}/traces/search`, {})).records;
  const templatesOf = async (projectId: string): Promise<readonly Template[]> => {
    const path = `/v2/projects/${projectId}/annotation/templates`;
    return (await app.client.call<readonly Template[]>('GET', path)).body;
  };
  /** The ratings of each trace by the names of templates, of those that have any. */
  const ratingsByName = async (projectId: string): Promise<Readonly<Record<string, unknown>>> => {
    const names = new Map((await templatesOf(projectId)).map(({ id, name }) => [id, name]));
    const rated = (await ratedTraces(projectId)).map(({ name, annotations }) => [
      name,
      Object.fromEntries(
        Object.entries(annotations).flatMap(([id, byUser]) =>
          Object.values(byUser).map((rating) => [names.get(id) ?? id, rating]),
        ),
      ),
    ]);
    return Object.fromEntries(
      rated.filter(([, ratings]) => Object.keys(ratings ?? {}).length > 0),
    ) as Readonly<Record<string, unknown>>;
  };
  const openAs = async (role: string, projectId: string, path: string): Promise<Page> => {
    const key = await post<{ api_key: string }>('users/api_keys', {
      description: role,
      project_id: projectId,
      project_role: role,
    });
    const page = await (await openBrowser()).open(path);
    await page.getByText('With an API key').click();
    await page.getByLabel('API key').fill(key.api_key);
    await page.getByRole('button', { name: 'Sign in with the key' }).click();
    return page;
  };
  const judged = (page: Page, name: string) =>
    page
      .getByRole('region', { name: 'Trace to judge' })
      .getByRole('heading', { name, exact: true });
  const form = (page: Page) => page.getByRole('region', { name: 'Your ratings' });
  const left = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  /** Rates the shown trace by keyboard alone, by all six templates. */
  const rateByKeys = async (
    page: Page,
    index: number,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const { keyboard } = page;
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await keyboard.press(key);
    };
    const isExplained = index === 2;
    await press(String((index % 5) + 1));
    if (isExplained) {
      await press('x');
      await keyboard.type('short and right');
      await press('Escape');
    }
    await press('ArrowDown', index % 2 === 0 ? '1' : 'ArrowLeft', 'ArrowDown');
    await press(...(index === 1 ? ['1', '0'] : [String(index % 10)]));
    await press('ArrowDown', String((index % 3) + 1), 'ArrowDown', '1', '3', '3', '2');
    await press('ArrowDown', 'Enter');
    await keyboard.type(`note su${index}`);
    const plain = { explanation: null };
    return {
      Helpful: {
        annotation_type: 'star',
        value: (index % 5) + 1,
        explanation: isExplained ? 'short and right' : null,
      },
      Correct: { annotation_type: 'like_dislike', value: index % 2 === 0, ...plain },
      Tone: { annotation_type: 'score', value: index === 1 ? 10 : index % 10, ...plain },
      Reason: {
        annotation_type: 'choice',
        value: ['refund', 'booking', 'other topic'][index % 3],
        ...plain,
      },
      Issues: { annotation_type: 'tags', value: ['late', 'rude'], ...plain },
      Note: { annotation_type: 'text', value: `note su${index}`, ...plain },
    };
  };

  it('rates twelve traces by keyboard, skips and undoes (checks 27 and 34)', async () => {
    const projectId = await makeProject('rated', 14);
    const page = await openPage(`/p/${projectId}/rate`);
    await judged(page, 'trace 1').waitFor();
    await page.getByText('I have opened refund 0.').waitFor();
    await page.getByRole('button', { name: 'Steps' }).click();
    await page.getByText('No steps were recorded.').waitFor();
    await left(page, '14 of 14 left');
    await page.evaluate(watchSteps);
    const expected: Record<string, unknown> = {};
    for (let index = 0; index < 14; index++) {
      await judged(page, `trace ${index + 1}`).waitFor();
      if (index === 3) {
        await page.keyboard.press('s');
        continue;
      }
      const ratings = await rateByKeys(page, index);
      await page.keyboard.press('Control+Enter');
      if (index === 6) {
        await judged(page, 'trace 8').waitFor();
        await page.keyboard.press('u');
        await judged(page, 'trace 7').waitFor();
        const note = form(page).getByRole('textbox', { name: 'Note' });
        expect(await note.inputValue()).to.equal('note su6');
        await page.keyboard.press('s');
      } else expected[`trace ${index + 1}`] = ratings;
    }
    await page.getByText('2 left, which you skipped or rated in part').waitFor();
    await left(page, '2 of 14 left');
    expect(await ratingsByName(projectId)).to.deep.equal(expected);
    const steps = await page.evaluate<readonly number[]>('window.steps');
    const sorted = [...steps].sort((one, other) => one - other);
    const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
    process.stdout.write(`    Ctrl+Enter to the next trace: p95 ${p95.toFixed(0)} ms\n`);
    // Not frozen; the budget of 100 ms is for a machine at rest.
    expect(p95).to.be.lessThan(3_000);
    await page.getByRole('button', { name: 'Show the 2 skipped' }).click();
    await judged(page, 'trace 4').waitFor();
    await pressPair(page, 'g', 's');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });

  it('puts earlier ratings back, and says why an item failed', async () => {
    const projectId = await makeProject('changed', 3, templates.slice(0, 2));
    const [helpful, correct] = await templatesOf(projectId);
    const [first] = await ratedTraces(projectId);
    const rating = { annotation_type: 'star', value: 2 };
    await app.client.call(
      'PUT',
      `/v2/projects/${projectId}/annotation/templates/${helpful?.id}/traces/${first?.id}/rating`,
      { body: { rating, explanation: 'so so' } },
    );
    const before = await ratingsByName(projectId);
    const page = await openPage(`/p/${projectId}/rate`);
    await judged(page, 'trace 1').waitFor();
    await form(page).getByRole('button', { name: '2 stars', pressed: true }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('No rating has changed. Skip with s.').waitFor();
    await page.keyboard.press('5');
    await page.keyboard.press('Control+Enter');
    await judged(page, 'trace 2').waitFor();
    await page.getByText(/^Saved/).waitFor();
    expect(await ratingsByName(projectId)).to.not.deep.equal(before);
    await page.keyboard.press('u');
    await judged(page, 'trace 1').waitFor();
    await page.getByText(/^Saved/).waitFor();
    expect(await ratingsByName(projectId)).to.deep.equal(before);
    await app.client.call(
      'DELETE',
      `/v2/projects/${projectId}/annotation/templates/${correct?.id}`,
    );
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('2');
    await page.keyboard.press('Control+Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('Correct: annotation template not found').waitFor();
    await judged(page, 'trace 2').waitFor();
    await alert.getByRole('button', { name: 'Back to it' }).click();
    await judged(page, 'trace 1').waitFor();
    await form(page).getByRole('button', { name: 'dislike', pressed: true }).waitFor();
  });

  it('opens from the explorer, and opens there again as a list', async () => {
    const projectId = await makeProject('linked', 3, templates.slice(0, 1));
    const page = await openPage(`/p/${projectId}/traces#f=name ~ "trace"`);
    await page.getByRole('grid').getByText('trace 2').waitFor();
    await page.getByRole('link', { name: 'Rate', exact: true }).last().click();
    await judged(page, 'trace 1').waitFor();
    await page.getByText('name ~ "trace"').waitFor();
    await page.getByRole('button', { name: 'Random' }).click();
    await page.waitForURL(/order=mine/);
    await left(page, '3 of 3 left');
    await form(page).getByRole('button', { name: '4 stars' }).click();
    await page.getByRole('button', { name: 'Save and next' }).click();
    await left(page, '2 of 3 left');
    await page.getByRole('link', { name: 'Open as list' }).click();
    await page.getByText('2 of 3 traces').waitFor();
    expect(await page.getByLabel('Filter', { exact: true }).inputValue()).to.equal(
      'name ~ trace and not annotated by (me)',
    );
    await page.getByLabel('Select row 1', { exact: true }).check();
    await page.getByRole('group', { name: 'Selected records' }).getByRole('link').click();
    await left(page, '1 of 1 left');
    await page.goto(`${app.url}/console/p/${projectId}/rate#f=nonsense ~ 1`);
    await page.getByText(/^The filter cannot be read: Unknown column/).waitFor();
    await page.getByLabel('Filter', { exact: true }).fill('name = none');
    await page.keyboard.press('Enter');
    await page.getByText('No trace is in this queue').waitFor();
    await page.getByRole('button', { name: 'Leave the filter out' }).click();
    await left(page, '2 of 3 left');
  });

  it('makes, tries, orders, edits and deletes templates', async () => {
    const projectId = await makeProject('templates', 1, []);
    const page = await openPage(`/p/${projectId}/rate`);
    const dialog = page.getByRole('dialog');
    await page.getByText('No template yet').waitFor();
    await page.getByRole('button', { name: 'New template' }).click();
    await dialog.getByLabel('Name').fill('Tone');
    await dialog.getByLabel('Kind of rating').selectOption('score');
    await dialog.getByLabel('Lowest').fill('7');
    await dialog.getByLabel('Highest').fill('3');
    await dialog.getByText('The lowest score first').waitFor();
    await dialog.getByLabel('Highest').fill('9');
    await dialog.getByRole('button', { name: 'Make the template' }).click();
    await judged(page, 'trace 1').waitFor();
    await page.keyboard.press('8');
    await page.keyboard.press('Control+Enter');
    await page.getByText('You have rated the one trace').waitFor();
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByText('1 rating ·').waitFor();
    await page.keyboard.press('n');
    await dialog.getByLabel('Name').fill('Issues');
    await dialog.getByLabel('Kind of rating').selectOption('tags');
    await dialog.getByLabel('Labels, one a line').fill('late\nrude\nlate');
    await dialog.getByLabel('Annotators may write others').check();
    const preview = dialog.getByRole('group', { name: 'Preview of Issues' });
    await preview.getByRole('button', { name: 'rude' }).click();
    await preview.getByRole('button', { name: 'rude', pressed: true }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Make the template' }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const template of templates.slice(0, 2)) {
      await post(`projects/${projectId}/annotation/templates`, template);
    }
    await page.reload();
    const names = async (): Promise<readonly string[]> =>
      page.getByRole('listitem').locator('strong').allTextContents();
    const stored = async (expected: readonly string[]): Promise<void> => {
      expect(await names()).to.deep.equal(expected);
      expect((await templatesOf(projectId)).map(({ name }) => name)).to.deep.equal(expected);
    };
    await page.getByRole('button', { name: 'Move Correct, number 4' }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByText('Correct is number 2 of 4, saved').waitFor();
    await stored(['Tone', 'Correct', 'Issues', 'Helpful']);
    const handle = await page.getByRole('button', { name: 'Move Tone, number 1' }).boundingBox();
    const target = await page.getByRole('listitem').nth(2).boundingBox();
    if (handle === null || target === null) throw new Error('The rows are not shown');
    await page.mouse.move(handle.x + 8, handle.y + 8);
    await page.mouse.down();
    await page.mouse.move(target.x + 8, target.y + target.height - 4, { steps: 4 });
    await page.mouse.up();
    await page.getByText('Tone is number 3 of 4, saved').waitFor();
    await stored(['Correct', 'Issues', 'Tone', 'Helpful']);
    await page.getByRole('button', { name: 'Edit Issues' }).click();
    await dialog.getByLabel('Name').fill('Tone');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/exists|taken|unique|already/).waitFor();
    await dialog.getByLabel('Name').fill('Problems');
    await dialog.getByLabel('Question to the annotators').fill('What went wrong?');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What went wrong?').waitFor();
    await page.getByRole('button', { name: 'Delete Tone…' }).click();
    await dialog.getByText('It has 1 rating.').waitFor();
    await dialog.getByLabel('Type Tone to confirm').fill('Tone');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Edit Tone' }).waitFor({ state: 'detached' });
    expect(await names()).to.deep.equal(['Correct', 'Problems', 'Helpful']);
  });

  it('lets an annotator rate, and tells a viewer why they cannot (check 32)', async () => {
    const projectId = await makeProject('roles', 2, templates.slice(0, 1));
    const viewed = await openAs('viewer', projectId, `/p/${projectId}/rate`);
    await judged(viewed, 'trace 1').waitFor();
    await viewed.getByText(/You can read the queue, and not rate: .*annotator/).waitFor();
    expect(await form(viewed).getByRole('button', { name: '3 stars' }).isDisabled()).to.equal(true);
    await viewed.keyboard.press('3');
    await viewed.keyboard.press('Control+Enter');
    expect(await viewed.getByRole('button', { name: 'Save and next' }).isDisabled()).to.equal(true);
    await viewed.keyboard.press('s');
    await judged(viewed, 'trace 2').waitFor();
    const page = await openAs('annotator', projectId, `/p/${projectId}/rate`);
    await judged(page, 'trace 1').waitFor();
    await page.keyboard.press('3');
    await page.keyboard.press('Control+Enter');
    await left(page, '1 of 2 left');
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByRole('listitem').getByText('Helpful').waitFor();
    for (const name of ['New template', 'Edit Helpful', 'Delete Helpful…', /^Move Helpful, /]) {
      const control = page.getByRole('button', { name });
      expect(await control.isDisabled(), String(name)).to.equal(true);
      expect(await control.getAttribute('title')).to.match(/editor/);
    }
  });

  for (const theme of ['light', 'dark'] as const) {
    it(`rates on a phone, accessible in ${theme} at 1280 and 360 px (check 34)`, async () => {
      const projectId = await makeProject(`phone ${theme}`, 2);
      const page = await openPage(`/p/${projectId}/rate`, { theme });
      for (const width of [1_280, 360]) {
        await page.setViewportSize({ width, height: 740 });
        for (const path of ['rate', 'templates']) {
          await page.goto(`${app.url}/console/p/${projectId}/${path}`);
          await page.getByText('Note', { exact: true }).first().waitFor();
          await expectAccessible(page);
          const overflow = 'document.documentElement.scrollWidth - innerWidth';
          expect(await page.evaluate(overflow), `${path} at ${width}`).to.be.at.most(0);
        }
      }
      await page.goto(`${app.url}/console/p/${projectId}/rate`);
      await form(page).getByRole('button', { name: '4 stars' }).click();
      await form(page).getByRole('button', { name: 'dislike' }).click();
      await form(page).getByRole('spinbutton', { name: 'Tone' }).fill('11');
      await page.getByRole('button', { name: 'Save and next' }).click();
      await form(page).getByText('It takes a whole number from 0 to 10').waitFor();
      await form(page).getByRole('spinbutton', { name: 'Tone' }).fill('9');
      await form(page).getByRole('button', { name: 'booking' }).click();
      await form(page).getByRole('button', { name: 'rude' }).click();
      await form(page).getByRole('textbox', { name: 'Note' }).fill('by hand');
      await page.getByRole('button', { name: 'Save and next' }).click();
      await judged(page, 'trace 2').waitFor();
      await left(page, '1 of 2 left');
    });
  }
});
