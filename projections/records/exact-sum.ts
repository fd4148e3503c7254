/**
 * Exact sum of doubles, without rounding, as text: an odd whole number in hexadecimal, then the
 * power of two that it is multiplied by (`-3p-2` is -0.75); `0` is zero. Equal sums have equal
 * texts, whatever the order of additions and subtractions, so that a stored sum equals the sum of a
 * replay.
 */
export type ExactSum = string;

export const zeroSum: ExactSum = '0';

type Scaled = { readonly whole: bigint; readonly power: number };

export const addToSum = (sum: ExactSum, value: number): ExactSum =>
  formatSum(addScaled(parseSum(sum), toScaled(value)));
export const subtractFromSum = (sum: ExactSum, value: number): ExactSum => addToSum(sum, -value);

/** Rounds to the nearest double, ties to even; infinite beyond the doubles. */
export const roundedSum = (sum: ExactSum): number => {
  const { whole, power } = parseSum(sum);
  const size = whole < 0n ? -whole : whole;
  // Only the first bits of a longer number matter, plus a sticky bit for the rest.
  const over = Math.max(0, size.toString(2).length - keptBits);
  const kept = size >> BigInt(over);
  const sticky = over > 0 && kept << BigInt(over) !== size ? kept | 1n : kept;
  const value = timesTwoTo(Number(sticky), power + over);
  return whole < 0n ? -value : value;
};

const keptBits = 64;

const addScaled = (one: Scaled, other: Scaled): Scaled => {
  const power = Math.min(one.power, other.power);
  const at = ({ whole, power: own }: Scaled): bigint => whole << BigInt(own - power);
  return { whole: at(one) + at(other), power };
};

const view = new DataView(new ArrayBuffer(8));
const fractionBits = 52;
const leastPower = -1_074;

const toScaled = (value: number): Scaled => {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  if (exponent === 0x7ff) throw new RangeError('not a finite number');
  const whole = exponent === 0 ? fraction : fraction | (1n << BigInt(fractionBits));
  const power = exponent === 0 ? leastPower : exponent + leastPower - 1;
  return { whole: bits >> 63n === 1n ? -whole : whole, power };
};

/** Multiplies in two steps: the power of two alone may overflow where the product does not. */
const timesTwoTo = (value: number, power: number): number => {
  const half = Math.trunc(power / 2);
  return value * 2 ** half * 2 ** (power - half);
};

const parseSum = (sum: ExactSum): Scaled => {
  const [digits = '0', power = '0'] = sum.split('p');
  const isNegative = digits.startsWith('-');
  const size = BigInt(`0x${isNegative ? digits.slice(1) : digits}`);
  return { whole: isNegative ? -size : size, power: Number(power) };
};

const formatSum = ({ whole, power }: Scaled): ExactSum => {
  if (whole === 0n) return zeroSum;
  const size = whole < 0n ? -whole : whole;
  const digits = size.toString(2);
  const zeros = digits.length - 1 - digits.lastIndexOf('1');
  return `${whole < 0n ? '-' : ''}${(size >> BigInt(zeros)).toString(16)}p${power + zeros}`;
};
