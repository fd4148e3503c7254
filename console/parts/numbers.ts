/** A value as it is shown: none is `–`, and `reason` says why. */
export type Figure = { readonly text: string; readonly reason: string | null };

/** The figure of a missing value. It is never 0. */
const missingFigure = (reason: string): Figure => ({ text: '–', reason });

/** The figure of a value, or of why there is none. */
export const figureOf = (
  value: number | null | undefined,
  print: (value: number) => string,
  reason: string,
): Figure =>
  typeof value === 'number' && Number.isFinite(value)
    ? { text: print(value), reason: null }
    : missingFigure(reason);

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** `value` with so many decimals, its whole part in groups: `1,204.5`. */
const fixed = (value: number, decimals: number): string => {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const text = grouped(whole) + (fraction === undefined ? '' : `.${fraction}`);
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text;
};

type Unit = { readonly at: number; readonly name: string };
const magnitudes: readonly Unit[] = [
  { at: 1e6, name: 'M' },
  { at: 1e9, name: 'B' },
  { at: 1e12, name: 'T' },
];

/** A count: `48,310`, from a million on `12.4 M`. */
export const printCount = (value: number): string => {
  const size = Math.abs(value);
  if (Math.round(size) < 1e6) return fixed(value, Number.isInteger(value) ? 0 : 1);
  // The unit is that of the rounded value: 999.96 M is 1.0 B.
  const { at, name } = magnitudes.findLast((unit) => size >= unit.at * 0.9995) ?? {
    at: 1e6,
    name: 'M',
  };
  const scaled = value / at;
  return `${fixed(scaled, Math.abs(scaled) < 99.95 ? 1 : 0)} ${name}`;
};

const nanosecond = 1;
const microsecond = 1e3;
const millisecond = 1e6;
const second = 1e9;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * A duration in nanoseconds: `812 ms`, `10.1 s`, `2 m 04 s`, `1 h 05 m`. `decimals` are those of
 * seconds.
 */
export const printDuration = (nanoseconds: number, decimals = 1): string => {
  const sign = nanoseconds < 0 ? '-' : '';
  const size = Math.abs(nanoseconds);
  const rounded = (unit: number): number => Math.round(size / unit);
  if (rounded(nanosecond) < 1_000) return `${sign}${rounded(nanosecond)} ns`;
  if (rounded(microsecond) < 1_000) return `${sign}${rounded(microsecond)} µs`;
  if (rounded(millisecond) < 1_000) return `${sign}${rounded(millisecond)} ms`;
  const seconds = (size / second).toFixed(decimals);
  if (Number(seconds) < 60) return `${sign}${seconds} s`;
  if (rounded(second) < 3_600) return sign + pair(rounded(second), 60, 'm', 's');
  if (rounded(minute) < 1_440) return sign + pair(rounded(minute), 60, 'h', 'm');
  return sign + pair(Math.round(size / (day / 24)), 24, 'd', 'h');
};

/** `2 m 04 s`: so many of the smaller unit, in both. */
const pair = (count: number, per: number, large: string, small: string): string =>
  `${grouped(String(Math.floor(count / per)))} ${large} ` +
  `${String(count % per).padStart(2, '0')} ${small}`;

/** Dollars: `$412`, `$4.12`, and two digits that say something below one: `$0.0031`. */
export const printCost = (dollars: number): string => {
  const sign = dollars < 0 ? '-' : '';
  const size = Math.abs(dollars);
  if (size === 0) return '$0';
  if (size < 1e-6) return `${sign}<$0.000001`;
  if (size < 0.995) return `${sign}$${significant(size, 2)}`;
  if (size < 99.995) return `${sign}$${size.toFixed(2)}`;
  return `${sign}$${printCount(Math.round(size))}`;
};

/** The value to so many digits, without an exponent and without zeros at its end. */
const significant = (value: number, digits: number): string => {
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(value)));
  const text = value.toFixed(Math.min(decimals, 100));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
};

/**
 * A share of 0 to 1: `80.7 %`. Only all is `100 %` and only none is `0 %`: close to them it is
 * `> 99.9 %` and `< 0.1 %`.
 */
export const printShare = (share: number): string => {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const text = fixed(share * 100, 1);
  if (text === '0.0') return share > 0 ? '< 0.1 %' : '> -0.1 %';
  if (text === '100.0') return share < 1 ? '> 99.9 %' : '100.1 %';
  return `${text} %`;
};

/** A difference of two shares in percentage points: `12.5 pp`, `< 0.1 pp`. */
export const printPoints = (difference: number): string => {
  const text = fixed(difference * 100, 1);
  if (text !== '0.0' || difference === 0) return `${text.replace(/\.0$/, '')} pp`;
  return difference > 0 ? '< 0.1 pp' : '> -0.1 pp';
};

/** A score or a metric to three digits: `0.714`, `41.2`, `1,204`, `12.4 M`. */
export const printScore = (score: number): string => {
  const size = Math.abs(score);
  const sign = score < 0 ? '-' : '';
  if (size === 0) return '0';
  if (size < 1e-6) return sign + size.toExponential(2).replace(/\.?0+e/, 'e');
  if (size < 999.5) return sign + significant(Number(size.toPrecision(3)), 3);
  return sign + printCount(Math.round(size));
};

/** Bytes: `812 B`, `50 KB`, `1.2 MB`; a KB has 1,024. */
export const printBytes = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_023.5 * 1_024) return `${Math.round(bytes / 1_024)} KB`;
  return `${fixed(bytes / 1_048_576, 1)} MB`;
};
