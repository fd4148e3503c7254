import { expect } from 'chai';
import type { Assay } from '../../../clients/typescript/src/node.js';
import { expectNotWorse } from '../../../clients/typescript/src/testing.js';

type ExperimentComparison = Awaited<ReturnType<Assay['experiments']['compare']>>;

describe('expectNotWorse', () => {
  const compared = (
    direction: 'higher' | 'lower',
    interval: object | null,
    { both = 9, failed_rows = 0 } = {},
  ) => {
    const against = { num_rows: both, mean_difference: 0.1, confidence_interval: interval };
    return {
      experiments: [
        { experiment_id: 'a', name: 'old' },
        { experiment_id: 'b', name: 'new', failed_rows },
      ],
      metrics: [
        {
          metric: 'reward',
          direction,
          experiments: [
            { experiment_id: 'a', num_rows: 9, against_baseline: null },
            { experiment_id: 'b', against_baseline: against },
          ],
        },
      ],
    } as unknown as ExperimentComparison;
  };
  const interval = { lower: -0.05, upper: 0.25 };

  it('throws when the lower end in the direction of the metric is below the bar', () => {
    expectNotWorse(compared('higher', interval), { metric: 'reward', atLeast: -0.05 });
    expect(() => expectNotWorse(compared('higher', interval), { metric: 'reward' })).to.throw(
      'reward of "new" (higher is better): better by 0.1 on average, 95 % interval -0.05 to 0.25 ' +
        'over 9 rows; the lower end is below the bar of 0',
    );
    expectNotWorse(compared('lower', interval), { metric: 'reward', atLeast: -0.25 });
    const strict = { metric: 'reward', atLeast: -0.2 };
    expect(() => expectNotWorse(compared('lower', interval), strict)).to.throw(
      'better by -0.1 on average, 95 % interval -0.25 to 0.05',
    );
  });

  it('throws without interval, metric or experiment', () => {
    const none = compared('higher', null);
    expect(() => expectNotWorse(none, { metric: 'reward' })).to.throw('no interval over 9 rows');
    expect(() => expectNotWorse(none, { metric: 'other' })).to.throw('it has reward');
    const absent = { metric: 'reward', experimentId: 'c' };
    expect(() => expectNotWorse(none, absent)).to.throw('no experiment c');
  });

  it('throws when rows failed, or lack a value that the baseline has', () => {
    const whole = { metric: 'reward', atLeast: -1 };
    expectNotWorse(compared('higher', interval), whole);
    const lacking = compared('higher', interval, { both: 8 });
    expect(() => expectNotWorse(lacking, whole)).to.throw(
      'reward of "new" (higher is better): 0 rows failed, and 1 of the 9 rows with a value in ' +
        'the baseline have none; missingAtMost is 0',
    );
    expectNotWorse(lacking, { ...whole, missingAtMost: 1 });
    const failing = compared('higher', interval, { failed_rows: 2 });
    const most = { ...whole, missingAtMost: 1 };
    expect(() => expectNotWorse(failing, most)).to.throw('2 rows failed, and 0 of the 9 rows');
    expectNotWorse(failing, { ...whole, missingAtMost: 2 });
    const strict = { metric: 'reward', atLeast: 0.5 };
    expect(() => expectNotWorse(failing, strict)).to.throw(/2 rows failed.*; better by 0\.1 on/);
  });

  it('says which errors of the evaluator leave rows without a value', () => {
    const run = {
      comparison: compared('higher', null, { both: 1 }),
      experiment: { id: 'b' },
      evaluatorErrors: { reward: 8 },
      firstErrors: { reward: 'Error: odd' },
    } as unknown as Parameters<typeof expectNotWorse>[0];
    expect(() => expectNotWorse(run, { metric: 'reward' })).to.throw(
      'no interval over 1 row with a value in both; it takes at least 2. Its evaluator gave no ' +
        'value for 8 rows, first: Error: odd',
    );
    const alone = { comparison: null } as unknown as Parameters<typeof expectNotWorse>[0];
    expect(() => expectNotWorse(alone, { metric: 'reward' })).to.throw('has no comparison');
  });
});
