import { expect } from 'chai';
import { metricRows, recordFigures, type AnyRecord } from '../../../console/traces/record-facts.js';

describe('the figures of a record', () => {
  it('leave out a value that does not fit its metric; the metrics show it as sent', () => {
    const record = {
      metrics: { duration_ns: 1.5, cost: 0.002 },
      metric_info: {
        duration_ns: { status_type: 'error', ems_error_code: 1_007, message: 'does not fit' },
        cost: { status_type: 'success', value: 0.002 },
      },
    } as unknown as AnyRecord;
    expect(recordFigures(record)).to.deep.equal(['$0.002']);
    const rows = metricRows(record).map(({ name, text, error }) => [name, text, error]);
    expect(rows).to.deep.equal([
      ['duration_ns', '1.5', '1007 does not fit'],
      ['cost', '$0.002', null],
    ]);
  });
});
