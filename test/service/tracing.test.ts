import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { sharedApp, type App } from '../support/app.js';
import { temporaryFolder } from '../support/folder.js';
import { pollUntil } from '../support/poll-until.js';
import { outline, projectNamed, type SenderRecord } from '../support/sender-runs.js';
import { startService, type ServiceProcess } from '../support/service-process.js';

const project = 'spans-of-a-service';

describe('tracing of the service', function () {
  let collector: App;
  let service: ServiceProcess;
  let remove: () => Promise<void>;
  before(async () => {
    collector = await sharedApp();
    const folder = await temporaryFolder();
    ({ remove } = folder);
    service = await startService({
      dir: folder.dir,
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v2/otel/v1/traces`,
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Service-API-Key=${collector.apiKey},project=${project}`,
        OTEL_BSP_SCHEDULE_DELAY: '100',
      },
    });
  });
  after(async () => {
    await service.stop();
    await remove();
  });

  /** Kinds and names of the trace of this request once it has `last`, by its id in OTLP. */
  const traceOf = async (requestId: string, last: string): Promise<readonly string[]> => {
    let lines: readonly string[] = [];
    await pollUntil(`${last} in the trace of ${requestId}`, 30_000, async () => {
      const id = await projectNamed(collector.client, project).catch(() => null);
      if (id === null) return false;
      const { body } = await collector.client.call<{ records: readonly SenderRecord[] }>(
        'POST',
        `/v2/projects/${id}/traces/search`,
        { body: {} },
      );
      const whole = await Promise.all(
        body.records.map((one) =>
          collector.client.call<SenderRecord>(
            'GET',
            `/v2/projects/${id}/traces/${one.id}?otel=true`,
          ),
        ),
      );
      const found = whole.find(({ body: trace }) =>
        JSON.stringify(trace).includes(requestId.replaceAll('-', '')),
      );
      lines = found === undefined ? [] : outline(found.body).map((line) => line.trim());
      // The thread that answers may export before the one that has the root span.
      return lines[0] !== 'trace' && lines.some((line) => line.endsWith(last));
    });
    return lines;
  };
  const send = async <T>(method: string, path: string, body: object, requestId: string) => {
    const headers = { 'X-Request-Id': requestId };
    return (await service.client.call<T>(method, path, { body, headers })).body;
  };

  it('follows a write from the accepting thread over the log to the folds', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { id } = await send<{ id: string }>('POST', '/v2/projects', { name: 'observed' }, first);
    const traces = [{ input: 'a question', output: 'an answer', spans: [] }];
    await send('POST', `/v2/projects/${id}/traces`, { traces }, second);
    const lines = await traceOf(second, 'fold records');
    expect(lines[0]).to.equal('trace POST logTraces');
    expect(lines).to.include.members(['workflow log.append', 'workflow fold history']);
  });

  it('follows a read into the thread that has the records', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const { id } = await send<{ id: string }>('POST', '/v2/projects', { name: 'read' }, first);
    await send('POST', `/v2/projects/${id}/traces/search`, {}, second);
    const lines = await traceOf(second, 'engine.search');
    expect(lines[0]).to.equal('trace POST searchTraces');
    expect(lines.indexOf('workflow engine.search')).to.be.greaterThan(
      lines.indexOf('workflow answers.search'),
    );
  });

  it('does not trace requests that export spans', async () => {
    const [exported, next] = [randomUUID(), randomUUID()];
    const headers = { 'X-Request-Id': exported, tracestate: 'assay=export' };
    await service.client.call('GET', '/v2/projects/all', { headers });
    await send('POST', '/v2/projects', { name: 'after' }, next);
    await traceOf(next, 'fold project_list');
    const id = await projectNamed(collector.client, project);
    const { body } = await collector.client.call('POST', `/v2/projects/${id}/traces/search`, {
      body: {},
    });
    expect(JSON.stringify(body)).not.to.include(exported);
  });
});
