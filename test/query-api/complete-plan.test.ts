import { expect } from 'chai';
import { completePlan } from '../../query-api/records/complete-plan.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { uuid } from '../support/record-generators.js';

describe('the names that a search resolves first', () => {
  const project = uuid(1, 1) as ProjectId;
  const body = {
    log_stream_id: uuid(2, 1),
    sort: { column_id: 'metrics/reward', ascending: false },
  } as unknown as Parameters<typeof completePlan>[2];

  it('are loaded concurrently, since each query may be a round trip', async () => {
    const asked: string[] = [];
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const answering =
      <T>(name: string, answer: T) =>
      async (): Promise<T> => {
        asked.push(name);
        await held;
        return answer;
      };
    const needs = {
      records: { metricTypes: answering('types', new Map()) },
      runInProject: answering('run', true),
      templatesOf: answering('templates', []),
    };
    const plan = completePlan(needs, project, body, 'trace');
    await Promise.resolve();
    expect(asked).to.have.members(['types', 'run', 'templates']);
    letGo();
    expect((await plan).plan).to.include({ project, run: uuid(2, 1) });
  });
});
