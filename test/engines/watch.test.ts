import { expect } from 'chai';
import type { Bound } from '../../engines/koa/table.js';
import { openWatch } from '../../engines/koa/watch.js';
import type { Logger } from '../../engines/pino/logger.js';
import type { Metrics } from '../../engines/prometheus/metrics.js';

describe('the watch over answers', () => {
  const bound = {
    operation: { operationId: 'odd' },
    answer: () => {
      throw new TypeError('no guard knows the keyword x');
    },
  } as unknown as Bound;
  const told = { bytes: 2, body: () => ({}) };

  it('lets one out whose schema nobody can compare it with, and says so', () => {
    const logged: unknown[] = [];
    const counted: string[] = [];
    const logger = { error: (fields: unknown, what: string) => logged.push([fields, what]) };
    const metrics = { mismatch: (operation: string) => counted.push(operation) };
    openWatch(false, logger as unknown as Logger, metrics as unknown as Metrics).answer(
      bound,
      told,
      'request-1',
    );
    const fields = {
      request_id: 'request-1',
      operation: 'odd',
      cause: ['TypeError: no guard knows the keyword x'],
    };
    expect(logged).to.deep.equal([[fields, 'answers what its schema does not promise']]);
    expect(counted).to.deep.equal(['odd']);
  });

  it('of tests takes it for a defect', () => {
    const watch = openWatch(true, {} as Logger, {} as Metrics);
    expect(() => watch.answer(bound, told, 'request-1')).to.throw('no guard knows the keyword x');
  });
});
