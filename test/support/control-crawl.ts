import type { Page } from 'playwright-core';
import type { TestBrowser } from './browser.js';
import type { Control, Layer, SentWrite } from './crawled-page.js';

/** A control that a crawl came upon, over all times that it was shown. */
export type Sighting = {
  /** True where it was enabled at least once. */
  readonly isEnabled: boolean;
  /** Why it was disabled, as its user reads it; empty without a reason. */
  readonly reason: string;
};

/** Crawl of pages by one person, in the tab where they are signed in. */
type Crawl = {
  readonly page: Page;
  readonly untilQuiet: TestBrowser['untilQuiet'];
  /** By the page's pattern, the title of the dialog or menu, and the name of the control. */
  readonly sightings: Map<string, Sighting>;
  readonly pressed: Set<string>;
  /** Controls that were pressed in rows, by their place. */
  readonly inRows: Map<string, Set<string>>;
};

export const openCrawl = (page: Page, { untilQuiet }: TestBrowser): Crawl => ({
  page,
  untilQuiet,
  sightings: new Map(),
  pressed: new Set(),
  inRows: new Map(),
});

/** Crawl of one page. */
type PageCrawl = Crawl & {
  readonly pattern: string;
  /** Path of the page, with the console's own. */
  readonly path: string;
  /** Enabled controls that were seen, in their order, with the presses that led to them. */
  readonly ways: Map<string, Way>;
  readonly retried: Set<string>;
};
type Way = {
  readonly presses: readonly string[];
  readonly row: string | null;
  readonly seenAt: number;
};

/** A control of the shown layer. */
type Found = {
  readonly index: number;
  readonly key: string;
  readonly control: Control;
  /** Place in its row, within its page; null outside of rows. */
  readonly row: string | null;
};

/** Rows have the same controls: those of further rows are not pressed. */
const rowsMax = 3;
/** Bound of a page that goes on showing new controls, which is a fault of the crawl. */
const pressesMax = 500;
/** A page that all may see, to leave another one for. */
const elsewhere = '/console/account';
/** Ends the session: pressed once, by `endCrawl`. */
const signOut = 'button Sign out';

/**
 * Presses every control of a page, and those that they show: what a press shows comes before what
 * was there. A control that is gone when its turn comes is gone to once more, as a person would.
 */
export const crawlPage = async (crawl: Crawl, pattern: string, path: string): Promise<void> => {
  const here: PageCrawl = { ...crawl, pattern, path, ways: new Map(), retried: new Set() };
  let layer: Layer | null = await openPage(here);
  let way: readonly string[] = [];
  for (let presses = 0; layer !== null; presses += 1) {
    if (presses > pressesMax) throw new Error(`${path}: no end of controls, now ${way.at(-1)}`);
    const next = chooseControl(here, layer, way);
    if (next !== null) {
      way = [...(here.ways.get(next.key)?.presses ?? []), next.key];
      layer = await press(here, next);
    } else if (layer.isPage) {
      layer = await reachNext(here);
      way = [];
    } else layer = await leaveLayer(here, layer);
  }
};

/** Sends the postponed writes and signs out; resolves with all writes of the crawl. */
export const endCrawl = async ({ page }: Crawl): Promise<readonly SentWrite[]> => {
  await page.evaluate('crawl.sendPostponed()');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').waitFor();
  return page.evaluate<readonly SentWrite[]>('crawl.writes');
};

const controlsOf = ({ pattern }: PageCrawl, { title, controls }: Layer): readonly Found[] =>
  controls.map((control, index) => ({
    index,
    control,
    key: [placeOf(pattern, control), title, control.name].join(' › '),
    row: control.placeInRow === null ? null : [pattern, title, control.placeInRow].join(' › '),
  }));

/** Pages of traces, spans and sessions are one: what acts on selected records is of each. */
const placeOf = (pattern: string, { isOfShell, name }: Control): string => {
  if (isOfShell) return '';
  const isOfEach = /Select row|Delete…/.test(name);
  return isOfEach ? pattern : pattern.replace(/(?:traces|spans|sessions)$/, 'records');
};

/** Notes what is shown; returns the control to press next, null without one. */
const chooseControl = (here: PageCrawl, layer: Layer, way: readonly string[]): Found | null => {
  const { ways, sightings } = here;
  const all = controlsOf(here, layer);
  const seenAt = ways.size;
  for (const { key, control, row } of all) {
    const before = sightings.get(key) ?? { isEnabled: false, reason: '' };
    const isEnabled = before.isEnabled || control.isEnabled;
    const reason = before.reason || (control.isEnabled ? '' : control.reason);
    sightings.set(key, { isEnabled, reason });
    if (control.isEnabled && !ways.has(key)) ways.set(key, { presses: way, row, seenAt });
  }
  const [first = null] = all
    .filter(({ key, control, row }) => control.isEnabled && isWanted(here, key, row))
    .sort(
      (a, b) =>
        (ways.get(b.key)?.seenAt ?? 0) - (ways.get(a.key)?.seenAt ?? 0) ||
        a.control.rank - b.control.rank,
    );
  return first;
};

/** True for a control that is still to press. */
const isWanted = (here: PageCrawl, key: string, row: string | null): boolean =>
  !here.pressed.has(key) &&
  !key.endsWith(signOut) &&
  (row === null || (here.inRows.get(row)?.size ?? 0) < rowsMax);

const press = async (here: PageCrawl, { index, key, row }: Found): Promise<Layer> => {
  here.pressed.add(key);
  if (row !== null) here.inRows.set(row, (here.inRows.get(row) ?? new Set()).add(key));
  const layer = await here.page.evaluate<Layer>(`crawl.press(${index})`);
  return layer.path === here.path ? layer : openPage(here);
};

const leaveLayer = async (here: PageCrawl, { title }: Layer): Promise<Layer> => {
  const layer = await here.page.evaluate<Layer>('crawl.leave()');
  return layer.title === title ? reopenPage(here) : layer;
};

const openPage = async ({ page, untilQuiet, path }: PageCrawl): Promise<Layer> => {
  await page.evaluate(`crawl.go(${JSON.stringify(path)})`);
  // Further than the page itself: it may load code first.
  await untilQuiet(page);
  return page.evaluate<Layer>('crawl.show()');
};

/** Opens the page as it is at first. */
const reopenPage = async ({ page, path }: PageCrawl): Promise<Layer> => {
  await page.evaluate(`crawl.go(${JSON.stringify(elsewhere)})`);
  return page.evaluate<Layer>(`crawl.go(${JSON.stringify(path)})`);
};

/** The page with a control that was seen and is not pressed yet; null: none is left. */
const reachNext = async (here: PageCrawl): Promise<Layer | null> => {
  for (const [key, { presses, row }] of here.ways) {
    if (here.retried.has(key) || !isWanted(here, key, row)) continue;
    here.retried.add(key);
    let layer = await reopenPage(here);
    for (const step of presses) {
      const next = controlsOf(here, layer).find((one) => one.key === step);
      if (next?.control.isEnabled === true) layer = await press(here, next);
    }
    const reached = controlsOf(here, layer).find((one) => one.key === key);
    if (reached?.control.isEnabled === true) return layer;
  }
  return null;
};
