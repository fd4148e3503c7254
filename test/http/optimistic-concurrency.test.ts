import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { annotationTemplateWrites } from '../../command-api/annotation-templates/routes.js';
import { readConfig } from '../../config.js';
import { openKeyedMutex } from '../../kernel/concurrency.js';
import { traceStream } from '../../command-api/facts/traces.js';
import { runStream } from '../../command-api/facts/runs.js';
import { insightsSettingsWrites } from '../../command-api/insights-settings/routes.js';
import { integrationWrites } from '../../command-api/integrations/routes.js';
import { ratingWrites } from '../../command-api/ratings/routes.js';
import { viewWrites } from '../../command-api/views/routes.js';
import { randomIds } from '../../engines/node/ids.js';
import { systemClock } from '../../engines/node/clock.js';
import { openVault } from '../../engines/node/vault.js';
import type { EventLog, StreamName } from '../../kernel/ports.js';
import { appendEvents } from '../../kernel/transact.js';
import type { WrappedDataKey } from '../../kernel/vault.js';
import type { Client } from '../support/client.js';
import { expectRefused } from '../support/key-ring.js';
import { authorAt, instantAfter } from '../support/test-log.js';
import { project, smallService, type SmallService } from '../support/small-service.js';

const run = '77777777-7777-4777-8777-777777777777';
const trace = '88888888-8888-4888-8888-888888888888';
const losers = /^(trace|annotation-templates|views|insights-settings|integration)-/;

/** Every append here loses its race: another process is always faster. */
describe('optimistic concurrency that always conflicts', () => {
  let service: SmallService;
  let client: Client;
  let lost = false;
  before(async () => {
    service = await smallService(routes);
    client = service.as('editor');
    await began(runStream(run), 'LogStreamCreated', {
      run_id: run,
      project_id: project,
      organization_id: randomIds.next('OrganizationId'),
      name: 'run',
      created_by: randomIds.next('UserId'),
      created_at: instantAfter(0),
    });
    await began(traceStream(project, trace), 'TraceLogged', {
      project_id: project,
      run_id: run,
      run_kind: 'log_stream',
      trace_id: trace,
      session_id: null,
      is_complete: true,
      logging_method: 'api_direct',
      trace: { type: 'trace', id: trace, created_at: instantAfter(0) },
      spans: [],
    });
  });
  after(() => service.close());
  afterEach(() => {
    lost = false;
  });

  const losing = (log: EventLog): EventLog => ({
    ...log,
    append: async (batch) =>
      lost && batch.every(({ stream }) => losers.test(stream))
        ? batch.map(() => 'conflict' as const)
        : log.append(batch),
  });
  const routes = (real: EventLog) => {
    const log = losing(real);
    const keyedMutex = openKeyedMutex();
    const egressRules = readConfig({}).egress;
    let keys: readonly WrappedDataKey[] = [];
    const vault = openVault({
      keys: {
        all: async () => keys,
        update: async (step) => {
          keys = step(keys);
          return keys;
        },
        close: async () => undefined,
      },
      clock: systemClock,
      ids: randomIds,
      masterKey: randomBytes(32),
      fingerprintKey: randomBytes(32),
    });
    return [
      ...annotationTemplateWrites({ log, templateUsage: async () => new Map() }),
      ...ratingWrites({ log }),
      ...viewWrites({ log }),
      ...insightsSettingsWrites({ log }),
      ...integrationWrites({ log, ids: randomIds, vault, keyedMutex, egressRules }),
    ];
  };
  const began = async (stream: StreamName, type: string, data: object): Promise<void> => {
    await appendEvents(service.log, [{ stream, events: [{ type, data }] }], authorAt());
  };
  const refused = async (method: string, path: string, body?: object): Promise<void> => {
    lost = true;
    const reply = await client.send(method, path, body === undefined ? {} : { body });
    expectRefused(reply, 409, 'conflict');
    lost = false;
  };
  const at = (rest: string) => `/v2/projects/${project}${rest}`;

  it('answers 409 for a template and a single rating, and fails one item of many', async () => {
    const templates = at('/annotation/templates');
    const body = { name: 'likes', constraints: { annotation_type: 'like_dislike' } };
    await refused('POST', templates, body);
    const made = await client.call<{ id: string }>('POST', templates, { body });
    const { id } = made.body;
    await refused('PATCH', `${templates}/${id}`, { name: 'new' });
    await refused('DELETE', `${templates}/${id}`);
    const other = { ...body, name: 'other' };
    const second = await client.call<{ id: string }>('POST', templates, { body: other });
    await refused('POST', `${templates}/reorder`, { ordering: [second.body.id, id] });
    const place = `${templates}/${id}/traces/${trace}/rating`;
    const rating = { annotation_type: 'like_dislike', value: true };
    await refused('PUT', place, { rating });
    await client.call('PUT', place, { body: { rating } });
    await refused('DELETE', place);
    lost = true;
    const operations = [{ annotation_template_id: id, rating: { ...rating, value: false } }];
    const many = await client.call<{ message: string }[]>('POST', at('/annotation/ratings'), {
      body: { operations, selector: { traces: [trace] } },
    });
    expect(many.body).to.deep.equal([
      {
        operation: 'create',
        success: false,
        message: 'changed at the same time, try again',
        selector: 'traces',
        index: 0,
        trace,
      },
    ]);
  });

  it('answers 409 for saved views', async () => {
    const views = at('/views');
    const body = { name: 'failed', page: 'traces', state: 't=7d' };
    await refused('POST', views, body);
    const { id } = (await client.call<{ id: string }>('POST', views, { body })).body;
    await refused('PATCH', `${views}/${id}`, { name: 'new' });
    await refused('DELETE', `${views}/${id}`);
  });

  it('answers 409 for insights settings', () =>
    refused('PATCH', at(`/runs/${run}/insights-settings`), {
      insights: { logstream: { enabled: true } },
    }));

  it('answers 409 for integrations, and makes unused sealed secrets unusable', async () => {
    const body = { organization_id: 'account', token: 'secret' };
    await refused('PUT', '/v2/integrations/writer', body);
    await client.call('PUT', '/v2/integrations/writer', { body });
    await refused('PUT', '/v2/integrations/writer', { ...body, token: 'other' });
    await refused('POST', '/v2/integrations/disable', { integration_name: 'writer' });
    await refused('DELETE', '/v2/integrations/writer');
    const same = await client.send('PUT', '/v2/integrations/writer', { body });
    expect(same.status).to.equal(200);
  });
});
