import type { SpanRow, TreeSpan } from './tree.js';

/** The part of the axis that is shown, in nanoseconds from its begin, and how wide. */
export type WaterfallView = {
  readonly fromNs: number;
  readonly toNs: number;
  readonly pixels: number;
};

/** The bar of a span, in pixels from the left. */
type WaterfallBar = {
  readonly left: number;
  readonly width: number;
  /** Where the first token came, from the left of the view; null: unknown, or out of sight. */
  readonly notch: number | null;
  /** How the length came about: `none` is a mark at the begin. */
  readonly length: 'own' | 'elapsed' | 'none';
};

/** Thinner ones cannot be seen, or met with a pointer. */
const barMin = 3;

/** The bar of a span; null when it is out of sight. Within sight it is 3 pixels wide at least. */
export const waterfallBar = (
  { beginNs, durationNs, isElapsed, firstTokenNs }: SpanRow<TreeSpan>,
  { fromNs, toNs, pixels }: WaterfallView,
): WaterfallBar | null => {
  const endNs = beginNs + Math.max(0, durationNs ?? 0);
  if (endNs < fromNs || beginNs > toNs) return null;
  // A view without length has one place for all.
  const scale = toNs > fromNs ? pixels / (toNs - fromNs) : 0;
  const place = (ns: number): number => Math.max(0, Math.min(pixels, (ns - fromNs) * scale));
  const left = Math.max(0, Math.min(place(beginNs), pixels - barMin));
  const notchNs = firstTokenNs === null ? Infinity : beginNs + firstTokenNs;
  const isNotched = notchNs >= Math.max(beginNs, fromNs) && notchNs <= Math.min(endNs, toNs);
  return {
    left,
    width: Math.max(barMin, place(endNs) - left),
    notch: isNotched ? place(notchNs) : null,
    length: durationNs === null ? 'none' : isElapsed ? 'elapsed' : 'own',
  };
};

/** The whole axis. */
export const wholeView = (lengthNs: number, pixels: number): WaterfallView => ({
  fromNs: 0,
  toNs: lengthNs,
  pixels,
});

/** The view that a drag from one pixel to another selects. */
export const zoomedView = (view: WaterfallView, from: number, to: number): WaterfallView => {
  const { fromNs, toNs, pixels } = view;
  const nsAt = (pixel: number): number =>
    fromNs + ((toNs - fromNs) * Math.max(0, Math.min(pixels, pixel))) / pixels;
  const [first, last] = [nsAt(Math.min(from, to)), nsAt(Math.max(from, to))];
  return last > first ? { fromNs: first, toNs: last, pixels } : view;
};

/** Distance of the marks of an axis, in nanoseconds: 1, 2 or 5 times a power of ten. */
export const axisStep = ({ fromNs, toNs, pixels }: WaterfallView): number => {
  const least = ((toNs - fromNs) * markPixels) / Math.max(1, pixels);
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least) ?? 10 * power;
};
/** Room of a mark with its text. */
const markPixels = 80;
