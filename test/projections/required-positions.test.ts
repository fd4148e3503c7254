import { expect } from 'chai';
import { projections } from '../../projections/projection-registry.js';
import { tombstoneOf, tombstoneTypes } from '../../projections/tombstones.js';
import { openRequiredPositions } from '../../projections/required-positions.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import type { StreamName } from '../../kernel/ports.js';
import { newEvent } from '../support/projector.js';
import { positionAt } from '../support/record-rows.js';
import { projectId, traceStream } from '../support/random-trace-logs.js';

const other = '22222222-2222-4222-8222-222222222222';
const runs = logStreamList.collection.name;
const records = recordsCollection.name;
const appended = (stream: string, type: string) => ({
  stream: stream as StreamName,
  events: [newEvent(type, {})],
});

describe('the position that a read has to wait for', () => {
  it('covers all earlier events, and later ones of subscribed types', () => {
    const targets = openRequiredPositions(projections, positionAt(7));
    for (const name of [runs, records]) {
      expect(targets.positionFor(name, projectId)).to.equal(positionAt(7));
    }
    targets.recordAppend(appended(traceStream(1), 'TraceLogged'), positionAt(8));
    targets.recordAppend(appended('run-1', 'LogStreamCreated'), positionAt(9));
    targets.recordAppend(appended('sized-session-1', 'SessionGrew'), positionAt(10));
    expect(targets.head()).to.equal(positionAt(10));
    expect(targets.positionFor(runs, projectId)).to.equal(positionAt(9));
    expect(targets.positionFor(runs, null)).to.equal(positionAt(9));
    expect(targets.positionFor(records, projectId)).to.equal(positionAt(8));
    expect(targets.positionFor(records, other)).to.equal(positionAt(7));
    expect(targets.positionFor(records, null), 'records of anybody').to.equal(positionAt(10));
    expect(targets.positionFor('unknown', projectId)).to.equal(positionAt(10));
  });

  it('covers deletions of runs and projects for each read model that drops rows with them', () => {
    for (const type of tombstoneTypes) {
      const targets = openRequiredPositions(projections, positionAt(0));
      targets.recordAppend(appended('run-1', type), positionAt(1));
      expect(targets.positionFor(records, other), type).to.equal(positionAt(1));
      for (const { collection, deletedWith } of projections) {
        if (deletedWith === undefined) continue;
        const target = targets.positionFor(collection.name, null);
        expect(target, `${collection.name} ${type}`).to.equal(positionAt(1));
      }
    }
  });

  it('includes every tombstone type', () => {
    const types = new Set(projections.flatMap(({ events }) => Object.keys(events)));
    for (const type of types) {
      const data = { run_id: 'r', project_id: 'p', deleted: 'run', deleted_id: 'r' };
      const ends = tombstoneOf({ ...newEvent(type, data), stream: 's', revision: 0 } as never);
      expect(ends !== null, type).to.equal((tombstoneTypes as readonly string[]).includes(type));
    }
  });
});
