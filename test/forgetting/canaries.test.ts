import { expect } from 'chai';
import { engineChoiceOf, readConfig } from '../../config.js';
import { unlinkDatasetFrom } from '../../named-queries/experiment-datasets.js';
import { startService } from '../../service/service.js';
import { deletedDatasets } from '../../command-api/erasures/dataset-erasures.js';
import { openResourceErasures } from '../../command-api/erasures/resource-erasures.js';
import { deletedPromptTemplates } from '../../command-api/erasures/prompt-text-erasures.js';
import { openRunErasures } from '../../command-api/erasures/run-and-project-erasures.js';
import { openRecordErasures } from '../../command-api/erasures/record-erasures.js';
import { openResponseExpiry } from '../../command-api/idempotency/worker.js';
import { operations } from '../../contract/all.js';
import { randomIds } from '../../engines/node/ids.js';
import { openDatabase } from '../../engines/sqlite/database.js';
import { logFile } from '../../engines/sqlite/log-schema.js';
import { openEngines } from '../../engines/open.js';
import { logStart } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { appKey } from '../support/app.js';
import { canaries, type Canaries } from '../support/canaries.js';
import { clientOf, type Client } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { testCache } from '../support/sandboxes.js';
import { pollUntil } from '../support/poll-until.js';
import { deleteAll, fillAndDelete } from './organization-fixture.js';
import { openPlanter, type Planter } from './canary-planter.js';
import { fillAndDeletePrompts } from './prompt-fixture.js';
import { fillProject } from './project-fixture.js';

const configOf = (dir: string) =>
  readConfig({
    ASSAY_DATA_DIR: dir,
    ASSAY_PORT: '0',
    ASSAY_OPS_PORT: '0',
    ASSAY_BOOTSTRAP_API_KEY: appKey,
    ASSAY_LOG_LEVEL: 'silent',
    ASSAY_SANDBOX: 'strict',
    ASSAY_SANDBOX_DIR: testCache,
  });

type Running = Awaited<ReturnType<typeof startService>>;

const running = async (
  dir: string,
  work: (client: Client, service: Running) => Promise<void>,
): Promise<void> => {
  const service = await startService(configOf(dir), { strict: true });
  const client = clientOf({ url: service.url, apiKey: appKey });
  try {
    await work(client, service);
    await service.untilCaughtUp();
  } finally {
    client.close();
    await service.close();
  }
};

/** True if no deleted rows are in the engine any more, which a stop would write to the file. */
const areRecordsClean = async ({ opsUrl }: Running): Promise<boolean> => {
  const { erasure } = (await (await fetch(`${opsUrl}/readyz`)).json()) as {
    readonly erasure: { readonly pending: readonly { readonly where: string }[] };
  };
  return erasure.pending.every(({ where }) => where !== 'records');
};

/** Runs the workers for the next 25 hours. */
const aDayLater = async (dir: string): Promise<void> => {
  const engines = await openEngines(engineChoiceOf(configOf(dir)));
  const bus = await engines.bus(null);
  const log = await engines.log(bus);
  const later = new Date(Date.now() + 25 * 3_600_000).toISOString().replace('Z', '000Z');
  const clock = { now: () => later as Instant, milliseconds: () => performance.now() };
  const needs = {
    log,
    clock,
    ids: randomIds,
    after: logStart,
    unlinkDataset: unlinkDatasetFrom(log),
  };
  for (const open of [
    openRunErasures,
    openRecordErasures,
    (of: typeof needs) => openResourceErasures(of, deletedDatasets(of.log)),
    (of: typeof needs) => openResourceErasures(of, deletedPromptTemplates(of.log)),
    openResponseExpiry,
  ]) {
    const { step } = open(needs);
    while (await step());
  }
  await log.close();
  await bus.close();
};

/** Events of traces in the log, as `type version`. */
const storedForms = (dir: string): ReadonlySet<string> => {
  const log = openDatabase(logFile(dir), { readOnly: true });
  const forms = log
    .prepareValue<[], string>(
      `SELECT DISTINCT type || ' ' || json_extract(metadata, '$.schema') FROM events
       WHERE stream LIKE 'trace-%'`,
    )
    .all();
  log.close();
  return new Set(forms);
};

/** Places of canaries, without the file and their number. */
const heard = async (planted: Canaries, dir: string): Promise<readonly string[]> => {
  const found = await planted.foundBelow(dir);
  return [...new Set(found.map((one) => one.replace(/( \d+)? in \S+$/, '')))].sort();
};

describe('deleted content', function () {
  const planted = canaries();
  let dir: string;
  let close: () => Promise<void>;
  let plant: Planter;
  let left: readonly string[];
  let forms: ReadonlySet<string>;

  before(async () => {
    const folder = await temporaryFolder();
    ({ dir } = folder);
    close = folder.remove;
    await running(dir, async (client, service) => {
      plant = openPlanter(client, planted);
      const entry = { person: planted.plant('job: createSession person') };
      const kept = await fillProject(plant, 'kept', { metadata: {}, validates: false });
      const doomed = await fillProject(plant, 'doomed', { metadata: {}, validates: true });
      await fillProject(plant, 'job', { metadata: entry, validates: false });
      expect(await heard(planted, dir)).to.include('doomed: createProject name');
      forms = storedForms(dir);
      await fillAndDelete(plant, { client, planted }, kept);
      await fillAndDeletePrompts(plant, kept.project);
      await deleteAll(plant, kept);
      await plant.send('doomed', 'deleteProject', { params: { project_id: doomed.project } });
      const value = { metadata_key: 'person', metadata_value: entry.person };
      const asked = await plant.send<{ job_id: string }>('job', 'deleteByMetadata', {
        body: value,
      });
      await pollUntil('the job is done', 30_000, async () => {
        const reply = await client.call<{ status: string }>('GET', `/v2/org-jobs/${asked.job_id}`);
        return reply.body.status === 'completed';
      });
      await service.untilCaughtUp();
      await pollUntil('the records were copied', 30_000, () => areRecordsClean(service));
    });
    await aDayLater(dir);
    await running(dir, () => Promise.resolve());
    left = await heard(planted, dir);
  });
  after(() => close());

  const of = (world: string): readonly string[] =>
    left.filter((one) => one.startsWith(`${world}: `)).map((one) => one.slice(world.length + 2));

  it('contained the canary of each text of every operation', () => {
    const writes = operations.filter(({ kind }) => kind === 'w').map((one) => one.operationId);
    const unsent = writes.filter((one) => !plant.sentOnce.has(one));
    expect(unsent).to.have.members([...ofLogins]);
    const unplanted = plant.unplanted().filter((one) => !ofLogins.has(one.split(' ')[0] ?? ''));
    expect(unplanted.filter((one) => !covered.some((form) => form.test(one)))).to.deep.equal([]);
  });
  it('was stored in each form that an event of a trace has', () => {
    expect([...forms]).to.include.members([
      'TraceLogged 1',
      'TraceLogged 2',
      'OtelSpansReceived 1',
      'SpansLogged 1',
      'TraceUpdated 1',
      'SpanUpdated 1',
      'RatingGiven 1',
    ]);
  });
  it('is nowhere in the data folder after its project, except datasets', () => {
    expect(of('doomed')).to.deep.equal([
      'changeDataset value',
      'createDataset file',
      'createDataset name',
      'editDatasetContent input',
      'editDatasetContent new_column_name',
      'editDatasetContent values',
    ]);
  });
  it('is nowhere after its run or itself was deleted; shared content stays', () => {
    expect(of('kept')).to.deep.equal([...livingProject, ...factsOfDatasets].sort());
  });
  it('is nowhere after an org job', () => {
    expect(of('job').filter((one) => one.startsWith('createSession'))).to.deep.equal([]);
  });
  it('leaves what stays of the organisation, and no secret', () => {
    expect(of('organisation')).to.deep.equal(factsOfOrganisations);
  });
});

/** They write nothing of their own; test/http/canaries.test.ts looks for the secrets in them. */
const ofLogins: ReadonlySet<string> = new Set([
  'socialLogin',
  'refreshToken',
  'login',
  'loginWithApiKey',
  'logout',
  'changePassword',
]);
/** Members that may be texts and have no canary of their own, and why. */
const covered: readonly RegExp[] = [
  // Each goes the way of another that has one: parts of a text, settings of a provider, columns.
  /^update(Trace|Span) (text|content|tool_call_id|id|name|arguments|metadata|error_message)$/,
  /^configureIntegration (?!token$|organization_id$)/,
  /^changeDataset (name|columns)$/,
  // They have to name something that is there.
  /^createDataset columns$/,
  /^editDatasetContent column_name$/,
  /^appendDatasetRecords (name|column_id)$/,
  /^disableIntegration integration_name$/,
  / required_scorers$/,
  / output_type$/,
  /^(set|change)ScorerSettings name$/,
  /^deleteByMetadata metadata_key$/,
  /^deleteByMetadata metadata_value$/,
  /^rateTraces operation_type$/,
  // A secret that the service made.
  /^acceptInvitation token$/,
];

const livingProject = [
  'changeAnnotationTemplate criteria',
  'changeAnnotationTemplate name',
  'changeExperiment experiment_group_name',
  'changeProject description',
  'changeProject labels',
  'changeProject name',
  'changeView name',
  'changeView state',
  'createAnnotationTemplate choices',
  'createAnnotationTemplate criteria',
  'createAnnotationTemplate name',
  'createAnnotationTemplate tags',
  'createExperiment experiment_group_name',
  'createProject name',
  'createView name',
  'createView page',
  'createView state',
  'setModelAccess default_model',
  'setModelAccess judge_model',
  'setPriceList model',
  'setRankingCriteria metric',
];
/** Rows of a deleted dataset go; its names and columns stay. */
const factsOfDatasets = [
  'changeDataset value',
  'createDataset name',
  'editDatasetContent new_column_name',
  'editDatasetContent values',
];
const factsOfOrganisations = [
  'acceptInvitation first_name',
  'acceptInvitation last_name',
  'addScorerVersion file',
  'changeGroup description',
  'changeGroup name',
  'changeScorer description',
  'changeScorer display_value_levels',
  'changeScorer label',
  'changeScorer tags',
  'changeUser first_name',
  'changeUser last_name',
  'configureIntegration organization_id',
  'createApiKey description',
  'createGroup description',
  'createGroup name',
  'createProjectPromptTemplate name',
  'createProjectPromptTemplate value',
  'createPromptTemplate name',
  'createPromptTemplate value',
  'createScorer description',
  'createScorer display_value_levels',
  'createScorer label',
  'createScorer name',
  'createScorer tags',
  'inviteUsers emails',
  'renamePromptTemplate name',
  'renamePromptTemplate value',
  'validateScorer test_input',
  'validateScorer test_output',
];
