import { expect } from 'chai';
import type {
  CustomSearchResponse,
  MetricBucket,
} from '../../clients/typescript/src/generated/metrics-types.js';
import {
  bucketsOf,
  groupsOf,
  intervalsFrom,
  lengthText,
  movedWindow,
  refreshMs,
  seriesOf,
  windowBefore,
  windowOfBuckets,
} from '../../console/overview/model.js';
import { streamScope } from '../../console/parts/record-scope.js';
import { verticalRange } from '../../console/parts/chart-scale.js';

const window = { from: '2026-03-01T00:00:00.000000Z', to: '2026-03-01T00:59:59.999999Z' };

describe('the model of the overview', () => {
  it('covers a window with at most 120 buckets, without a gap', () => {
    for (const hours of [0.25, 1, 24, 168, 720, 87_600]) {
      const from = Date.parse(window.from);
      const bounds = { from: window.from, to: new Date(from + hours * 3_600_000).toISOString() };
      const [minutes = 0] = intervalsFrom(bounds);
      const buckets = bucketsOf(bounds, minutes);
      expect(buckets.length, `${hours} h`).to.be.within(1, 121);
      for (const [index, { end }] of buckets.slice(0, -1).entries()) {
        expect(buckets[index + 1]?.start).to.equal(end);
      }
      expect((buckets[0]?.start ?? '~') <= bounds.from).to.equal(true);
      expect((buckets.at(-1)?.end ?? '') > bounds.to).to.equal(true);
    }
  });

  it('asks again after half a bucket, and at most every ten seconds', () => {
    expect([1, 5, 60].map(refreshMs)).to.deep.equal([30_000, 150_000, 1_800_000]);
    expect(refreshMs(0.1)).to.equal(10_000);
  });

  it('shows thresholds within the vertical range, whatever the values are', () => {
    const thresholds = [{ value: 0.8, word: 'High' }];
    expect(verticalRange([{ label: 'toxicity', values: [0.1, null] }], thresholds)).to.deep.equal({
      low: 0,
      high: 1,
    });
    expect(verticalRange([], [{ value: -3, word: 'Low' }])).to.deep.equal({ low: -5, high: 1 });
  });

  it('selects whole buckets to the microsecond', () => {
    const buckets = bucketsOf(window, 10);
    const [first, last] = [buckets[1], buckets[2]];
    if (first === undefined || last === undefined) throw new Error('no buckets');
    expect(windowOfBuckets(first, last)).to.deep.equal({
      from: '2026-03-01T00:10:00.000000Z',
      to: '2026-03-01T00:29:59.999999Z',
    });
  });

  it('compares with the window that ends a microsecond before', () => {
    expect(windowBefore({ ...window, to: '2026-03-01T01:00:00.000000Z' })).to.deep.equal({
      from: '2026-02-28T23:00:00.000000Z',
      to: '2026-02-28T23:59:59.999999Z',
    });
  });

  it('says how long a window is', () => {
    const until = (to: string) => lengthText({ from: window.from, to });
    expect(until('2026-03-01T00:45:00Z')).to.equal('45 min');
    expect(until('2026-03-02T00:00:00Z')).to.equal('24 h');
    expect(until('2026-03-08T00:00:00Z')).to.equal('7 days');
  });

  it('limits a project with experiments to its log streams', () => {
    expect(streamScope(['a', 'b'], false)).to.deep.equal({ run: '', condition: null });
    expect(streamScope(['a'], true)).to.deep.equal({ run: 'log_stream:a', condition: null });
    expect(streamScope(['a', 'b'], true).condition).to.deep.equal({
      filter: { type: 'id', name: 'run_id', operator: 'one_of', value: ['a', 'b'] },
    });
  });

  it('moves a window by a share of its length', () => {
    const hour = { ...window, to: '2026-03-01T01:00:00.000000Z' };
    expect(movedWindow(hour, -0.5)).to.deep.equal({
      from: '2026-02-28T23:30:00.000000Z',
      to: '2026-03-01T00:30:00.000000Z',
    });
  });

  const bucket = (start: string, count: number): MetricBucket =>
    ({
      start_bucket_time: start,
      end_bucket_time: start,
      requests_count: count,
      session_count: 0,
      span_count: count,
      p95: 7,
    }) as unknown as MetricBucket;

  it('counts 0 where a bucket is missing, and has no metric there', () => {
    const buckets = bucketsOf(window, 30);
    const filled = [bucket('2026-03-01T00:30:00.000000Z', 3)];
    expect(seriesOf(filled, buckets, 'requests_count', 'count')).to.deep.equal([0, 3]);
    expect(seriesOf(filled, buckets, 'p95', 'metric')).to.deep.equal([null, 7]);
  });

  it('names eight groups and the rest', () => {
    const answer = {
      population: 'spans',
      bucketed_metrics: Object.fromEntries(
        Array.from({ length: 11 }, (_group, index) => [`g${index}`, [bucket('', index)]]),
      ),
    } as unknown as CustomSearchResponse;
    const groups = groupsOf(answer);
    expect(groups.map(({ label }) => label).slice(0, 2)).to.deep.equal(['g10', 'g9']);
    expect(groups).to.have.length(9);
    expect(groups.at(-1)).to.deep.include({ label: '3 more', count: 3, value: null });
  });
});
