import { expect } from 'chai';
import type { CompiledRoute } from '../../engines/koa/compiled-routes.js';
import { openContractChecker } from '../../engines/koa/contract-checker.js';
import type { Logger } from '../../engines/pino/logger.js';
import type { Metrics } from '../../engines/prometheus/metrics.js';

describe('contract checker', () => {
  const bound = {
    operation: { operationId: 'odd' },
    answer: () => {
      throw new TypeError('no guard knows the keyword x');
    },
  } as unknown as CompiledRoute;
  const told = { bytes: 2, body: () => ({}) };

  it('passes a response whose schema cannot be compared, and logs it', () => {
    const logged: unknown[] = [];
    const counted: string[] = [];
    const logger = { error: (fields: unknown, what: string) => logged.push([fields, what]) };
    const metrics = { undeclaredAnswer: (operation: string) => counted.push(operation) };
    openContractChecker(
      false,
      logger as unknown as Logger,
      metrics as unknown as Metrics,
    ).checkAnswer(bound, told, 'request-1');
    const fields = {
      request_id: 'request-1',
      operation: 'odd',
      cause: ['TypeError: no guard knows the keyword x'],
    };
    expect(logged).to.deep.equal([[fields, 'answers what its schema does not promise']]);
    expect(counted).to.deep.equal(['odd']);
  });

  it('throws in strict mode', () => {
    const watch = openContractChecker(true, {} as Logger, {} as Metrics);
    expect(() => watch.checkAnswer(bound, told, 'request-1')).to.throw(
      'no guard knows the keyword x',
    );
  });
});
