import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { recordWrites } from '../../command-api/records/routes.js';
import { logStart } from '../../kernel/ports.js';
import type { SessionId, TraceId } from '../../kernel/schema-types.js';
import { project, smallService } from '../support/small-service.js';

describe('a deletion of a session with thousands of traces', () => {
  it('lets read models catch up after each thousand traces', async () => {
    const followedAfter: number[] = [];
    const traceIds = Array.from({ length: 2_500 }, () => randomUUID() as string as TraceId);
    const sessionIds = [randomUUID() as string as SessionId];
    const service = await smallService((log) =>
      recordWrites({
        log,
        choice: {
          complaints: () => [],
          choose: async () => ({ sessionIds, traceIds, spans: 0, more: false, unknown: [] }),
          preview: async () => ({ count: 1, ids: sessionIds, unknown: [] }),
          caughtUp: async () => {
            const { events } = await log.page(logStart, 100, ['RecordsDeleted']);
            followedAfter.push(events.length);
          },
        },
      }),
    );
    const filters = [{ type: 'id', name: 'id', operator: 'eq', value: sessionIds[0] }];
    const { body } = await service
      .as('bound')
      .call('POST', `/v2/projects/${project}/sessions/delete`, { body: { filters } });
    expect(body).to.deep.include({ deleted_count: 1, remaining: false });
    expect(followedAfter).to.deep.equal([1, 2]);
    await service.close();
  });
});
