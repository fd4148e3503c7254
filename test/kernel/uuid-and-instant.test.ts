import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalInstant, canonicalUuid } from '../../kernel/uuid-and-instant.js';
import { runs } from '../support/runs.js';

describe('the canonical instant', () => {
  const same: readonly (readonly [string, string])[] = [
    ['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.000000Z'],
    ['2026-03-01 09:00', '2026-03-01T09:00:00.000000Z'],
    ['2026-03-01t09:00:00.1z', '2026-03-01T09:00:00.100000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000000Z'],
    ['2026-03-01T09:00:00.123456789Z', '2026-03-01T09:00:00.123456Z'],
    ['2026-03-01T09:00:00+02:00', '2026-03-01T07:00:00.000000Z'],
    ['2026-03-01T09:00:00-0230', '2026-03-01T11:30:00.000000Z'],
    ['2026-03-01 09:00:00 +02', '2026-03-01T07:00:00.000000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ];
  for (const [written, canonical] of same) {
    it(`reads ${written}`, () => expect(canonicalInstant(written)).to.equal(canonical));
  }
  const none = [
    '',
    'yesterday',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-03-01T24:00:00Z',
    '2026-03-01T09:60:00Z',
    '2026-03-01T09:00:60Z',
    '0000-01-01',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-00:01',
    '2026-03-01T09',
    '2026-03-01  09:00',
    '2026-03-01T09:00:00.1234567890Z',
    '2026-03-01T09:00:00+24:00',
    '2026-03-01T09:00:00Z ',
    '1772355600',
  ];
  for (const written of none) {
    it(`refuses '${written}'`, () => expect(canonicalInstant(written)).to.equal(null));
  }
  it('is the same whatever zone it was written in, and is its own canonical form', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }),
        fc.integer({ min: -1439, max: 1439 }),
        (date, offset) => {
          const shifted = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 23);
          const two = (value: number) => String(value).padStart(2, '0');
          const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
          const zone = `${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
          const canonical = canonicalInstant(shifted + zone);
          expect(canonical).to.equal(`${date.toISOString().slice(0, 23)}000Z`);
          expect(canonicalInstant(canonical ?? '')).to.equal(canonical);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('the canonical uuid', () => {
  it('is lower-case and may be of any version', () =>
    expect(canonicalUuid('FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF')).to.equal(
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ));
  it('must have its hyphens', () =>
    expect(canonicalUuid('74aec44eec214c9fa3e2b2ab2b81b4db')).to.equal(null));
  it('is null for anything else', () => expect(canonicalUuid('not-a-uuid')).to.equal(null));
});
