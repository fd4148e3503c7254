import { expect } from 'chai';
import { remoteTestLog, testLog, type TestLog } from '../support/test-log.js';
import { openScoringFixture, type ScoringFixture } from '../support/scoring-fixture.js';
import { isLongRun } from '../support/runs.js';

/** Keeps all that it was ever shown, and tells it. */
const curious = `
seen = []
def scorer_fn(*, node_output, required_scores, **kwargs) -> str:
    seen.append(node_output)
    return ",".join(sorted(seen))
`;

const logs: Readonly<Record<string, () => Promise<TestLog>>> = {
  'the embedded log': testLog,
  // The walls know nothing of the log.
  ...(isLongRun && { EventStoreDB: remoteTestLog }),
};

for (const [kind, openLog] of Object.entries(logs)) {
  describe(`a scorer that keeps state, on ${kind}`, function () {
    let world: ScoringFixture;
    beforeEach(async () => {
      world = await openScoringFixture(null, await openLog());
    });
    afterEach(() => world.close());

    it('never sees a trace of another project', async () => {
      const scorer = await world.scorer('curious', curious);
      const runs = [await world.run(1, [scorer]), await world.run(2, [scorer])] as const;
      const mine = [
        await world.trace(1, runs[0], 'mine 1'),
        await world.trace(1, runs[0], 'mine 2'),
      ];
      const [theirs] = [await world.trace(2, runs[1], 'theirs')];
      world.startWorker();
      const seen = await Promise.all([
        ...mine.map((trace) => world.untilScored(1, trace, 'curious')),
        world.untilScored(2, theirs, 'curious'),
      ]);
      expect(seen.map(({ curious: one }) => one)).to.deep.equal([
        'mine 1',
        'mine 1,mine 2',
        'theirs',
      ]);
    });
  });
}
