import { expect } from 'chai';
import type { MetricBucket } from '../../clients/typescript/src/generated/metrics-types.js';
import { activityOf } from '../../console/projects/model.js';

describe('the activity of a project', () => {
  it('has a value for each of 24 hours and the running one, 0 where nothing came', () => {
    const bucket = {
      start_bucket_time: '2026-03-01T07:00:00.000000Z',
      end_bucket_time: '2026-03-01T08:00:00.000000Z',
      requests_count: 3,
      session_count: 0,
      span_count: 0,
      cost: 0.5,
    } as unknown as MetricBucket;
    const activity = activityOf(
      {
        group_by_columns: [],
        aggregate_metrics: { requests_count: 3, session_count: 0, span_count: 0, cost: 0.5 },
        bucketed_metrics: { all: [bucket] },
        ems_captured_error: false,
        standard_errors: {},
        population: 'traces',
      },
      Date.parse('2026-03-01T09:30:00Z'),
    );
    expect(activity).to.deep.equal({
      traces: 3,
      cost: 0.5,
      hours: [...Array<number>(22).fill(0), 3, 0, 0],
    });
  });
});
