import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operations } from '../../../contract/all.js';
import type { Requirement } from '../../../contract/roles.js';
import { startApp, type App } from '../../support/app.js';
import { openTestBrowser, signIn } from '../../support/browser.js';
import { consoleWrites, requestsOf, writeOf } from '../../support/console-writes.js';
import { crawlPage, endCrawl, openCrawl, type Sighting } from '../../support/control-crawl.js';
import { createCast, parts, type CastMember, type PartName } from '../../support/crawled-cast.js';
import { crawledPage } from '../../support/crawled-page.js';
import { chromium, describeWithTool } from '../../support/required-tools.js';
import { verdictOn } from '../../support/role-table.js';
import { repository } from '../../support/test-environment.js';

/** Patterns of the pages that take a login. */
const patterns = [
  ...readFileSync(join(repository, 'console/routes.ts'), 'utf8').matchAll(/pattern: '([^']+)'/g),
]
  .map(([, pattern = '']) => pattern)
  .filter((pattern) => pattern !== '/sign-in' && pattern !== '/invitation');

/** Writes that would take from the person, or from the page, what is still to press. */
const postponed = requestsOf(
  ({ method, operationId }) =>
    method === 'DELETE' ||
    /^(?:delete|change(?:Password|User|Collaborator|GroupCollaborator))/.test(operationId),
);

/** Writes of the console that the crawl does not send, each with the reason. */
const unsent: Readonly<Record<string, string>> = {
  acceptInvitation: 'before the login',
  loginWithApiKey: 'before the login',
  refreshToken: 'as a page loads that has a login, without a control',
  addGroupCollaborators: 'behind the users that the dialog lists first',
  endIntegrationLending: 'takes an integration that is lent: settings.test.ts',
  lendIntegration: 'takes an integration of the caller: settings.test.ts',
  addScorerVersion: 'takes code that ran in a sandbox: scorers.test.ts',
  cancelPastScoring: 'takes code that ran in a sandbox: scorers.test.ts',
  scorePast: 'takes code that ran in a sandbox: scorers.test.ts',
  setRankingCriteria: 'takes traces with metrics: experiments.test.ts',
};

/** Requirements that a role alone decides, not who made a thing. */
const requirementsOfRoles: readonly Requirement[] = [
  'annotator',
  'editor',
  'owner',
  'creator',
  'user',
  'manager',
  'view-write',
];

/** The history of one thing, which its page asks for in each role; it says who may read it. */
const historyOfOne = /^GET \/v2\/history\/dataset\/[^/]+$/;
/** Sent where a press before has left a rating to save. */
const sentByChance = 'rateTraces';

type CrawlResult = {
  readonly sightings: ReadonlyMap<string, Sighting>;
  /** Ids of the writes that were sent. */
  readonly sent: ReadonlySet<string>;
  readonly refusals: readonly string[];
  readonly offences: readonly string[];
};

describeWithTool(chromium, 'the controls of the console, in each role (check 32)', function () {
  this.timeout(480_000);
  let app: App;
  const results = new Map<PartName, CrawlResult>();
  before(async () => {
    app = await startApp();
    const cast = await createCast(app);
    await Promise.all(
      cast.map(async (member) => results.set(member.name, await crawlAs(app, member))),
    );
  });
  after(() => app.close());
  const sentByAny = (): ReadonlySet<string> =>
    new Set([...results.values()].flatMap(({ sent }) => [...sent]));

  it('are never answered 403', () => {
    for (const [role, { refusals, offences }] of results) {
      const unexpected = refusals.filter((line) => !historyOfOne.test(line));
      expect(unexpected, role).to.deep.equal([]);
      expect(offences, role).to.deep.equal([]);
    }
  });

  it('send every write that the console calls', () => {
    const sent = sentByAny();
    const missing = [...consoleWrites()].filter((operationId) => !sent.has(operationId));
    expect(missing.toSorted()).to.deep.equal(Object.keys(unsent).toSorted());
  });

  it('send the writes that the contract gives to the role', () => {
    const sent = sentByAny();
    for (const [name, result] of results) {
      const { organizationRole, role } = parts[name];
      const caller = { name, organizationRole, role, bound: null, limited: null };
      const allowed = operations.filter(
        (operation) =>
          sent.has(operation.operationId) &&
          operation.operationId !== sentByChance &&
          requirementsOfRoles.includes(operation.requires) &&
          verdictOn(operation, { ...caller, isCreator: false, isForeign: false }) === 'pass',
      );
      const missing = allowed.filter(({ operationId }) => !result.sent.has(operationId));
      expect(
        missing.map(({ operationId }) => operationId),
        name,
      ).to.deep.equal([]);
    }
  });

  it('say why they are disabled, where another role may press them', () => {
    const all = [...results].flatMap(([role, { sightings }]) =>
      [...sightings].map(([key, sighting]) => ({ role, key, ...sighting })),
    );
    const enabled = new Set(all.filter(({ isEnabled }) => isEnabled).map(({ key }) => key));
    const silent = all
      .filter(({ key, isEnabled, reason }) => enabled.has(key) && !isEnabled && reason === '')
      // Fields have their reason beside them, once for all; the order of columns is for all roles.
      .filter(({ key }) => key.includes(' › button ') && !key.includes(' › Columns › '))
      .map(({ role, key }) => `${role}: ${key}`);
    expect(silent).to.deep.equal([]);
  });
});

const crawlAs = async (
  app: App,
  { person, ids, emptyProject }: CastMember,
): Promise<CrawlResult> => {
  const browser = await openTestBrowser(app.url);
  await browser.context.addInitScript(crawledPage(postponed));
  const page = await browser.open('/');
  await signIn(page, person.email, person.password);
  const crawl = openCrawl(page, browser);
  for (const pattern of patterns) {
    const isFirstRun = pattern.endsWith('/start');
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_member, name: string) => {
      const id = isFirstRun ? emptyProject : ids[name];
      if (typeof id !== 'string') throw new Error(`${pattern}: no object is made for {${name}}`);
      return id;
    });
    await crawlPage(crawl, pattern, `/console${path}`);
  }
  const writes = await endCrawl(crawl);
  await browser.close();
  const sent = new Set(writes.flatMap(({ line }) => writeOf(line)?.operationId ?? []));
  return { ...browser, sightings: crawl.sightings, sent };
};
