import { expect } from 'chai';
import type { Client, Reply } from '../support/client.js';
import { startTwoOrganizations, type TwoOrganizations } from '../support/two-organizations.js';
import { otelRequest, otelSpan } from '../support/otlp.js';

type Project = { readonly id: string; readonly name: string };
type Span = { readonly metrics: Readonly<Record<string, number>> };

describe('rights to send spans of OpenTelemetry', () => {
  let cast: TwoOrganizations;
  let project: string;
  before(async () => {
    cast = await startTwoOrganizations();
    const { user, manager, auditor } = cast.ours;
    const body = { name: 'flights' };
    project = (await user.as.call<Project>('POST', '/v2/projects', { body })).body.id;
    await user.as.call('POST', `/v2/projects/${project}/users`, {
      body: [
        { user_id: manager.id, role: 'editor' },
        { user_id: auditor.id, role: 'annotator' },
      ],
    });
  });
  after(() => cast.close());

  let traces = 0;
  const send = (
    as: Client,
    headers: Readonly<Record<string, string>>,
    attributes: Readonly<Record<string, string | number>> = {},
  ): Promise<Reply<{ readonly code?: number; readonly status?: number }>> => {
    traces += 1;
    const span = otelSpan({ trace: traces, id: 1, attributes });
    return as.send('POST', '/v1/traces', { body: otelRequest([span]), headers });
  };
  const count = async (as: Client, id: string): Promise<number> => {
    const path = `/v2/projects/${id}/traces/count`;
    return (await as.call<{ total_count: number }>('POST', path, { body: {} })).body.total_count;
  };
  const projectsOf = async (as: Client): Promise<readonly Project[]> =>
    (await as.call<readonly Project[]>('GET', '/v2/projects/all')).body;

  it('require an editor of the project', async () => {
    const { manager, auditor, user } = cast.ours;
    expect((await send(manager.as, { projectid: project })).status).to.equal(200);
    expect((await send(manager.as, { project: 'flights' })).status).to.equal(200);
    for (const headers of [{ projectid: project }, { project: 'flights' }]) {
      const { status, body } = await send(auditor.as, headers);
      // PERMISSION_DENIED of google.rpc.Code.
      expect([status, body.code, body.status]).to.deep.equal([403, 7, 403]);
    }
    expect(await count(user.as, project)).to.equal(2);
  });

  it('require a credential', async () => {
    const { status, body } = await send(cast.ours.user.as, { 'service-api-key': 'asy_wrong' });
    // UNAUTHENTICATED.
    expect([status, body.code]).to.deep.equal([401, 16]);
  });

  it('keep organisations apart: ids are unknown, names make a project of their own', async () => {
    const { admin } = cast.theirs;
    const before = await count(cast.ours.user.as, project);
    const { status, body } = await send(admin.as, { projectid: project });
    // NOT_FOUND.
    expect([status, body.code]).to.deep.equal([404, 5]);
    expect((await send(admin.as, { project: 'flights' })).status).to.equal(200);
    expect(await count(cast.ours.user.as, project)).to.equal(before);
    const own = (await projectsOf(admin.as)).find(({ name }) => name === 'flights');
    expect(own?.id).to.be.a('string').and.not.equal(project);
  });

  it('are bound to the project of a bound key, without a header', async () => {
    const { user } = cast.ours;
    const made = await user.as.call<{ readonly api_key: string }>('POST', '/v2/users/api_keys', {
      body: { description: 'of an exporter', project_id: project, project_role: 'editor' },
    });
    const bound = { 'service-api-key': made.body.api_key };
    const before = await count(user.as, project);
    expect((await send(user.as, bound)).status).to.equal(200);
    expect((await send(user.as, { ...bound, project: 'flights' })).status).to.equal(200);
    expect((await send(user.as, { ...bound, project: 'default' })).status).to.equal(404);
    const body = { name: 'another' };
    const other = (await user.as.call<Project>('POST', '/v2/projects', { body })).body.id;
    expect((await send(user.as, { ...bound, projectid: other })).status).to.equal(404);
    expect([await count(user.as, project), await count(user.as, other)]).to.deep.equal([
      before + 2,
      0,
    ]);
    expect((await projectsOf(user.as)).map(({ name }) => name)).to.not.include('default');
  });

  it('gives llm spans without a cost the one of their model, tokens and day', async () => {
    const { user } = cast.ours;
    const prices = [{ model: 'model-a', from: '2026-01-01T00:00:00Z', input: 2, output: 10 }];
    await user.as.call('PUT', `/v2/projects/${project}/price_list`, { body: { prices } });
    const llm = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'model-a',
      'gen_ai.usage.input_tokens': 1_000_000,
      'gen_ai.usage.output_tokens': 100_000,
    };
    const costsWith = async (attributes: Readonly<Record<string, string | number>>) => {
      await send(user.as, { projectid: project }, attributes);
      const { body } = await user.as.call<{ readonly records: readonly Span[] }>(
        'POST',
        `/v2/projects/${project}/spans/search`,
        {
          body: {
            filters: [
              {
                type: 'text',
                name: 'external_id',
                operator: 'eq',
                value: '0000000000000001',
              },
            ],
            sort: { column_id: 'external_id' },
            limit: 100,
          },
        },
      );
      return body.records
        .flatMap(({ metrics }) => metrics['cost'] ?? [])
        .sort((one, other) => one - other);
    };
    expect(await costsWith(llm)).to.deep.equal([3]);
    expect(await costsWith({ ...llm, 'llm.cost.total': 7 })).to.deep.equal([3, 7]);
    expect(await costsWith({ ...llm, 'gen_ai.request.model': 'model-b' })).to.deep.equal([3, 7]);
  });
});
