import { expect } from 'chai';
import { join } from 'node:path';
import { openDatabase } from '../../engines/sqlite/database.js';
import { readConfig } from '../../config.js';
import { startService, type Service } from '../../service/service.js';
import { appKey } from '../support/app.js';
import { filesContaining } from '../support/files-containing.js';
import { clientOf, type Client } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { formRequest } from '../support/multipart-forms.js';
import { pollUntil } from '../support/poll-until.js';

/** Contract 5.13: of an idle service. */
const boundMs = 60_000;

type Made = { readonly id: string };
type Sealed = { readonly sealed: { readonly ciphertext: string } };
type Pending = { readonly erasure: { readonly pending: readonly { readonly where: string }[] } };
/** A deletion, and the canary in its content. */
type Kind = {
  readonly canary: string;
  readonly remove: () => Promise<unknown>;
};

describe('the content of deleted objects', function () {
  this.timeout(180_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: Service;
  let client: Client;
  let root = '';
  before(async () => {
    folder = await temporaryFolder();
    const config = readConfig({
      ASSAY_DATA_DIR: folder.dir,
      ASSAY_PORT: '0',
      ASSAY_OPS_PORT: '0',
      ASSAY_BOOTSTRAP_API_KEY: appKey,
      ASSAY_LOG_LEVEL: 'silent',
      ASSAY_SANDBOX: 'off',
    });
    service = await startService(config, { strict: true });
    client = clientOf({ url: service.url, apiKey: appKey });
    root = await made('/v2/projects', { name: 'bound' }).then((id) => `/v2/projects/${id}`);
  });
  after(async () => {
    client.close();
    await service.close();
    await folder.remove();
  });

  const made = async (path: string, body: object): Promise<string> =>
    (await client.call<Made>('POST', path, { body })).body.id;
  const traced = (project: string, canary: string, of: object) =>
    client.call<{ readonly trace_ids: readonly string[] }>('POST', `${project}/traces`, {
      body: { ...of, traces: [traceOf(canary)] },
    });
  const traceOf = (canary: string) => ({
    input: `in ${canary}`,
    output: 'out',
    user_metadata: { note: canary },
    spans: [{ type: 'tool', name: 'work', input: `span ${canary}` }],
  });

  /** One span as an exporter sends it. */
  const exported = (canary: string) => {
    const ids = { traceId: '5b8efff798038103d269b633813fc60a', spanId: 'eee19b7ec3c1b174' };
    const times = {
      startTimeUnixNano: '1772355600000000000',
      endTimeUnixNano: '1772355601000000000',
    };
    const attributes = [{ key: 'note', value: { stringValue: canary } }];
    const spans = [{ ...ids, ...times, name: canary, attributes }];
    return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
  };

  /** Ciphertext of the one integration: its secrets are in no file in clear. */
  const ciphertextIn = (dir: string): string => {
    const log = openDatabase(join(dir, 'log.sqlite'), { readOnly: true });
    const sealed = log
      .prepareValue<[], string>(`SELECT data FROM events WHERE type = 'IntegrationSecretsSealed'`)
      .get();
    log.close();
    const { ciphertext } = (JSON.parse(String(sealed)) as Sealed).sealed;
    return ciphertext;
  };

  const kinds = async (): Promise<readonly Kind[]> => {
    const named = (name: string): string => `canary-${name}-${'q'.repeat(24)}`;
    const stream = await made(`${root}/log_streams`, { name: 'stays' });
    const doomedStream = await made(`${root}/log_streams`, { name: 'goes' });
    const experiment = await made(`${root}/experiments`, { name: 'goes' });
    const project = `/v2/projects/${await made('/v2/projects', { name: 'goes' })}`;
    const rows = { name: 'file', content: `input\n${named('row')}\n`, fileName: 'rows.csv' };
    const upload = formRequest([{ name: 'name', content: 'goes' }, rows]);
    const dataset = (await client.call<Made>('POST', '/v2/datasets', upload)).body.id;
    await client.call('PUT', '/v2/integrations/openai', { body: { token: 'sealed' } });
    const session = await made(`${root}/sessions`, { name: named('session') });
    const { trace_ids: grown } = (await traced(root, named('trace'), { log_stream_id: stream }))
      .body;
    await client.call('POST', `${root}/spans`, {
      body: { trace_id: grown[0], parent_id: grown[0], spans: traceOf(named('later')).spans },
    });
    await client.call('POST', '/v2/otel/v1/traces', {
      headers: { projectid: root.replace('/v2/projects/', ''), logstreamid: doomedStream },
      body: exported(named('exported')),
    });
    await traced(root, named('metadata'), { log_stream_id: stream });
    await traced(root, named('in-session'), { session_id: session });
    await traced(root, named('stream'), { log_stream_id: doomedStream });
    await traced(root, named('experiment'), { experiment_id: experiment });
    await traced(project, named('project'), {});
    const note = { type: 'text', name: 'input', operator: 'contains', value: named('trace') };
    return [
      {
        canary: named('trace'),
        remove: () =>
          client.call('POST', `${root}/traces/delete`, {
            body: { log_stream_id: stream, filters: [note] },
          }),
      },
      {
        canary: named('session'),
        remove: () =>
          client.call('POST', `${root}/sessions/delete`, {
            body: { filters: [{ type: 'id', name: 'id', operator: 'eq', value: session }] },
          }),
      },
      ...['in-session', 'later', 'exported'].map((name) => ({
        canary: named(name),
        remove: () => Promise.resolve(),
      })),
      {
        canary: named('stream'),
        remove: () => client.call('DELETE', `${root}/log_streams/${doomedStream}`),
      },
      {
        canary: named('experiment'),
        remove: () => client.call('DELETE', `${root}/experiments/${experiment}`),
      },
      { canary: named('row'), remove: () => client.call('DELETE', `/v2/datasets/${dataset}`) },
      {
        canary: ciphertextIn(folder.dir),
        remove: () => client.call('DELETE', '/v2/integrations/openai'),
      },
      { canary: named('project'), remove: () => client.call('DELETE', project) },
      {
        canary: named('metadata'),
        remove: () =>
          client.call('POST', '/v2/org-jobs/delete-by-metadata', {
            body: { metadata_key: 'note', metadata_value: named('metadata') },
          }),
      },
    ];
  };
  const pending = async (): Promise<readonly string[]> => {
    const body = (await (await fetch(`${service.opsUrl}/readyz`)).json()) as Pending;
    return body.erasure.pending.map(({ where }) => where);
  };

  it('is in no file a minute later, and readiness reports what is pending', async () => {
    const all = await kinds();
    await service.untilCaughtUp();
    for (const { canary } of all) {
      expect(await filesContaining(folder.dir, canary), canary).not.to.deep.equal([]);
    }
    for (const { remove } of all) await remove();
    await pollUntil('a deletion is pending', 10_000, async () => (await pending()).length > 0);
    const left = async (): Promise<readonly string[]> => {
      const found = await Promise.all(
        all.map(async ({ canary }) =>
          (await filesContaining(folder.dir, canary)).map((file) => `${canary} in ${file}`),
        ),
      );
      return found.flat();
    };
    await pollUntil('it is gone', boundMs, async () => (await left()).length === 0);
    await pollUntil('no file is pending', boundMs, async () =>
      (await pending()).every((where) => where === 'log'),
    );
    expect(await left()).to.deep.equal([]);
  });
});
