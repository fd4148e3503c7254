import { expect } from 'chai';
import * as fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { cellsOf, measureStages, rankStages, total } from '../../engines/mongodb/record-cells.js';
import { numbers } from '../support/record-generators.js';
import { aggregateOf } from '../support/record-rows.js';
import { runs } from '../support/runs.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

const percents = [50, 90, 95, 99];
const member = 'metrics._m.floating_point';

withMongo('percentiles in MongoDB', (server) => {
  it('are the same sorted in memory and counted on disk: the nearest rank', async () => {
    const url = server().url();
    const client = await MongoClient.connect(url);
    const rows = client.db().collection('rows');
    const plan = aggregateOf({ groupBy: 'name', intervalMinutes: 5 });
    const group = { member: 'values.name', isList: false };
    const values = fc.array(fc.oneof(fc.constantFrom(...numbers), fc.double({ noNaN: true })), {
      minLength: 1,
      maxLength: 120,
    });
    const property = fc.asyncProperty(values, async (all) => {
      await rows.deleteMany({});
      await rows.insertMany(
        all.map((value, at) => ({
          minute: at % 7,
          values: { name: `n${at % 2}` },
          metrics: { _m: { floating_point: value + 0 } },
        })),
      );
      const collected = { distinct: [], percents: new Map([[member, new Set(percents)]]) };
      const ask = async (isFew: boolean) => {
        const ways = [total, cellsOf(plan, group)].map((cells) =>
          isFew
            ? measureStages(plan, cells, collected, 1_000)
            : rankStages(cells, member, percents),
        );
        const found = await Promise.all(ways.map((one) => rows.aggregate([...one]).toArray()));
        return new Map(
          found
            .flat()
            .map(({ _id, ranks0, ...ranks }) => [JSON.stringify(_id), isFew ? ranks0 : ranks]),
        );
      };
      const [sorted, counted] = [await ask(true), await ask(false)];
      expect(Object.fromEntries(sorted)).to.deep.equal(Object.fromEntries(counted));
      const order = all.map((value) => value + 0).sort((one, other) => one - other);
      const ranks = percents.map((percent) => [
        `p${percent}`,
        order[Math.ceil((percent * order.length) / 100) - 1],
      ]);
      expect(sorted.get('null')).to.deep.equal(Object.fromEntries(ranks));
    });
    await fc.assert(property, { numRuns: runs(30) });
    await client.close();
    await dropDatabase(url);
  }).timeout(30_000);
});
