import { expect } from 'chai';
import * as fc from 'fast-check';
import { ageChangeMs, instantFigure, relativeInstant } from '../../console/parts/instants.js';
import {
  figureOf,
  printBytes,
  printCost,
  printCount,
  printDuration,
  printScore,
  printShare,
} from '../../console/parts/numbers.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';

const printed = <T>(
  print: (value: T) => string,
  cases: readonly (readonly [T, string])[],
): void => {
  for (const [value, text] of cases) expect(print(value), String(value)).to.equal(text);
};

describe('numbers in the console', () => {
  it('writes counts in full below a million, then to three digits', () => {
    printed(printCount, [
      [0, '0'],
      [48_310, '48,310'],
      [999_999, '999,999'],
      [1_000_000, '1.0 M'],
      [12_400_000, '12.4 M'],
      [310_400_000, '310 M'],
      [999_960_000, '1.0 B'],
      [-1_204, '-1,204'],
      [2.5e12, '2.5 T'],
    ]);
  });

  it('writes durations in the unit that fits, rounded before the unit is chosen', () => {
    printed(printDuration, [
      [0, '0 ns'],
      [350, '350 ns'],
      [412_300, '412 µs'],
      [999_600, '1 ms'],
      [812_000_000, '812 ms'],
      [999_600_000, '1.0 s'],
      [10_060_000_000, '10.1 s'],
      [59_960_000_000, '1 m 00 s'],
      [124_000_000_000, '2 m 04 s'],
      [3_599_600_000_000, '1 h 00 m'],
      [3_900_000_000_000, '1 h 05 m'],
      [86_400e9 * 3 + 4 * 3_600e9, '3 d 04 h'],
      [-812_000_000, '-812 ms'],
    ]);
    expect(printDuration(10_060_000_000, 2)).to.equal('10.06 s');
  });

  it('writes costs with the digits that say something', () => {
    printed(printCost, [
      [0, '$0'],
      [0.0031, '$0.0031'],
      [0.003, '$0.003'],
      [0.0000005, '<$0.000001'],
      [0.041, '$0.041'],
      [0.996, '$1.00'],
      [4.12, '$4.12'],
      [412.4, '$412'],
      [48_310, '$48,310'],
      [1_200_000, '$1.2 M'],
      [-0.003, '-$0.003'],
    ]);
  });

  it('calls only all 100 % and only none 0 %', () => {
    printed(printShare, [
      [0, '0 %'],
      [1, '100 %'],
      [0.807, '80.7 %'],
      [0.021, '2.1 %'],
      [0.99996, '> 99.9 %'],
      [0.0001, '< 0.1 %'],
      [0.95, '95.0 %'],
    ]);
  });

  it('writes scores to three digits, and sizes', () => {
    printed(printScore, [
      [0.2, '0.2'],
      [0.7142, '0.714'],
      [41.23, '41.2'],
      [0.9996, '1'],
      [999.6, '1,000'],
      [1_204.4, '1,204'],
      [12_400_000, '12.4 M'],
      [-0.05, '-0.05'],
      [0.00012345, '0.000123'],
      [1.5e-9, '1.5e-9'],
    ]);
    printed(printBytes, [
      [812, '812 B'],
      [51_200, '50 KB'],
      [1_258_291, '1.2 MB'],
      [1_048_500, '1.0 MB'],
    ]);
  });

  it('shows none as a dash with its reason', () => {
    expect(figureOf(null, printCost, 'No prices.')).to.deep.equal({
      text: '–',
      reason: 'No prices.',
    });
    expect(figureOf(0, printCost, '')).to.deep.equal({ text: '$0', reason: null });
    expect(figureOf(Number.NaN, printCount, 'No values.').text).to.equal('–');
  });

  it('never writes another order of magnitude than the number has', () => {
    const units: Readonly<Record<string, number>> = { M: 1e6, B: 1e9, T: 1e12 };
    const readBack = (text: string): number => {
      const [, digits = '', unit = ''] = /^[$]?([\d.,e-]+) ?([MBT])?$/.exec(text) ?? [];
      return Number(digits.replaceAll(',', '')) * (units[unit] ?? 1);
    };
    const sizes = fc.double({ min: 1e-5, max: 1e15, noNaN: true });
    fc.assert(
      fc.property(sizes, (value) => {
        expect(readBack(printScore(value)) / value).to.be.closeTo(1, 0.051);
        expect(readBack(printCost(value)) / value).to.be.closeTo(1, 0.051);
      }),
      { seed: drawSeed('numbers'), numRuns: runs(2_000) },
    );
  });
});

describe('instants in the console', () => {
  const nowMs = Date.parse('2026-11-22T18:08:28Z');
  const zone = 'Europe/Berlin';

  it('shows them in the zone, whole on hover, and copies them to the microsecond', () => {
    const figure = instantFigure('2026-11-22T18:06:28.110482+01:00', { nowMs, zone });
    expect(figure).to.deep.equal({
      text: '22 Nov 18:06:28',
      title: '22 Nov 2026 18:06:28.110482 +01:00 Europe/Berlin',
      copied: '2026-11-22T17:06:28.110482Z',
    });
    const utc = { nowMs, zone: 'UTC' };
    expect(instantFigure('2025-01-01', utc, 'milliseconds')).to.deep.include({
      text: '1 Jan 2025 00:00:00.000',
      title: '1 Jan 2025 00:00:00.000000 +00:00 UTC',
    });
    expect(instantFigure('soon', utc)).to.equal(null);
  });

  it('says for a day how long ago they were', () => {
    const ago = (at: string) => relativeInstant(at, { nowMs, zone: 'UTC' })?.text;
    expect(ago('2026-11-22T18:08:28Z')).to.equal('0 s');
    expect(ago('2026-11-22T18:06:28Z')).to.equal('2 min');
    expect(ago('2026-11-21T18:08:29Z')).to.equal('23 h');
    expect(ago('2026-11-21T18:08:28Z')).to.equal('21 Nov 18:08:28');
    expect(ago('2026-11-22T18:08:29Z')).to.equal('22 Nov 18:08:29');
  });

  it('knows when an age has another text, and not before', () => {
    const minuteMs = 60_000;
    fc.assert(
      fc.property(fc.integer({ min: -minuteMs, max: 25 * 60 * minuteMs }), (ageMs) => {
        const at = new Date(nowMs - ageMs).toISOString();
        const textAt = (ms: number) => relativeInstant(at, { nowMs: ms, zone })?.text;
        const waitMs = ageChangeMs(at, nowMs);
        if (waitMs === null) {
          expect(textAt(nowMs + 1e9)).to.equal(textAt(nowMs));
          return;
        }
        expect(waitMs).to.be.within(1, 60 * minuteMs);
        expect(textAt(nowMs + waitMs - 1)).to.equal(textAt(nowMs));
        expect(textAt(nowMs + waitMs)).not.to.equal(textAt(nowMs));
      }),
      { seed: drawSeed('ages'), numRuns: runs(2_000) },
    );
    expect(ageChangeMs('9999-01-01', nowMs)).to.equal(null);
  });
});
