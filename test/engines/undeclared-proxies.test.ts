import { expect } from 'chai';
import { openUndeclaredProxies } from '../../engines/koa/undeclared-proxies.js';
import { testClock } from '../support/test-log.js';

describe('undeclared proxies', () => {
  it('are named with the variable to set, for an hour after their last request', () => {
    const clock = testClock();
    const proxies = openUndeclaredProxies(clock);
    expect(proxies.warnings()).to.deep.equal([]);
    proxies.observe('10.0.0.9');
    clock.move(3_599);
    const [warning = ''] = proxies.warnings();
    expect(warning).to.include('10.0.0.9').and.include('ASSAY_TRUSTED_PROXIES');
    clock.move(1);
    expect(proxies.warnings()).to.deep.equal([]);
  });
});
