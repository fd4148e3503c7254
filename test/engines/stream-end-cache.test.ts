import { expect } from 'chai';
import * as fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { openStreamEndCache } from '../../engines/sqlite/stream-end-cache.js';
import type { EventLog, EventReader, StreamName } from '../../kernel/ports.js';
import { appendEvents } from '../../kernel/transact.js';
import { temporaryFolder } from '../support/folder.js';
import { authorAt } from '../support/test-log.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

describe('stream-end cache', () => {
  it('returns the last revision read, and nothing during or after a write', async () => {
    const ends = openStreamEndCache();
    ends.note('a', 1);
    ends.note('b', 5);
    expect(ends.of('a')).to.equal(1);
    const written: (() => void)[] = [];
    const write = () =>
      ends.invalidateDuring(
        ['a'],
        () => new Promise<void>((resolve) => void written.push(resolve)),
      );
    const both = [write(), write()];
    for (const one of both) {
      ends.note('a', 1);
      expect(ends.of('a')).to.equal(null);
      expect(ends.of('b')).to.equal(5);
      written.shift()?.();
      await one;
    }
    expect(ends.of('a')).to.equal(null);
    ends.note('a', 2);
    await ends
      .invalidateDuring(['a'], () => Promise.reject(new Error('full')))
      .catch(() => undefined);
    expect(ends.of('a')).to.equal(null);
  });

  describe('of the log', () => {
    let log: EventLog;
    let other: EventReader;
    let remove: () => Promise<void>;
    const bus = openBus(randomUUID());
    before(async () => {
      const folder = await temporaryFolder();
      ({ remove } = folder);
      log = await openEventLog({ dir: folder.dir, bus });
      other = await openEventReader({ dir: folder.dir, bus });
    });
    after(async () => {
      await other.close();
      await log.close();
      await bus.close();
      await remove();
    });

    it('agrees with the log under concurrent writes', async () => {
      const step = fc.record({
        what: fc.constantFrom('write', 'race', 'erase', 'read', 'last', 'some'),
        stream: fc.nat(2),
        from: fc.nat(3),
      });
      const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const names = [0, 1, 2].map((at) => `noise-${at}-${randomUUID()}` as StreamName);
        const acknowledged = new Map<StreamName, number>();
        const working: Promise<unknown>[] = [];
        const write = async (name: StreamName): Promise<void> => {
          const revision = (await log.last(name))?.revision ?? 'none';
          const events = [{ type: 'Noise', data: {} }];
          const [result] = await appendEvents(
            log,
            [{ stream: name, expected: revision, events }],
            authorAt(),
          );
          const next = revision === 'none' ? 0 : revision + 1;
          if (result !== 'conflict') {
            acknowledged.set(name, Math.max(next, acknowledged.get(name) ?? 0));
          }
        };
        const known = (name: StreamName): number | null => {
          const end = log.cachedRevision(name);
          return end === 'none' ? -1 : end;
        };
        const seen = async (name: StreamName, from: number): Promise<void> => {
          const least = acknowledged.get(name) ?? -1;
          const isErased = (await log.last(name)) === null;
          await log.read(name, { from });
          if (!isErased) expect(known(name) ?? least).to.be.at.least(least);
        };
        for (const { what, stream: at, from } of steps) {
          const name = names[at] ?? ('' as StreamName);
          if (what === 'write') await write(name);
          else if (what === 'race') working.push(write(name), seen(name, from));
          else if (what === 'erase') await log.erase(name);
          else if (what === 'read') await seen(name, from);
          else if (what === 'last') await log.last(name);
          else await log.read(name, { from, types: ['Other'], limit: 1 });
        }
        await Promise.all(working);
        for (const name of names) {
          const end = (await other.last(name))?.revision ?? -1;
          expect(known(name) ?? end).to.equal(end);
          await log.read(name);
          expect(known(name)).to.equal(end);
          expect(other.cachedRevision(name)).to.equal(null);
        }
      });
      await fc.assert(property, { seed: drawSeed('known ends'), numRuns: runs(60) });
    });
  });
});
