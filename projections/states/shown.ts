import { hexOf } from '../../kernel/history/hex.js';
import type { Sha256 } from '../../kernel/ports.js';
import type { Json, JsonObject } from '../../kernel/shapes.js';
import { put } from '../records/row-builder.js';

const hidden: unique symbol = Symbol('hidden');
/** A value that history shows by its digest, or not at all. */
export type Hidden = { readonly [hidden]: 'text' | 'secret'; readonly value: Json };
/** What history shows of a resource, before anything is masked. */
export type Shown = Json | Hidden | ShownMembers;
export type ShownMembers = { readonly [member: string]: Shown };

/** A text of a record, a rating or a row of a dataset; null stays null. */
export const asText = (value: Json): Shown => (value === null ? null : { [hidden]: 'text', value });
/** Shows as `"[secret]"` and nothing else, whatever it is. */
export const asSecret = (value: Json): Shown => ({ [hidden]: 'secret', value });

/** The same with each member of these names as a text. */
export const withTexts = (members: JsonObject, names: readonly string[]): ShownMembers => {
  const shown: Record<string, Shown> = { ...members };
  for (const name of names) {
    const one = members[name];
    if (one !== undefined) shown[name] = asText(one);
  }
  return shown;
};
/** Each value as a text; names stay. */
export const textsOf = (members: JsonObject): ShownMembers => mapped(members, asText);

/** Of a metric: a number and a boolean as they are, everything else as a text. */
export const shownValue = (value: Json): Shown =>
  typeof value === 'number' || typeof value === 'boolean' ? value : asText(value);
/** By name of the metric. */
export const shownValues = (values: Json): ShownMembers => mapped(values as JsonObject, shownValue);

/** JSON merge patches (RFC 7396) to what was before and what is after. */
export type Patches = {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

/** A member that is longer shows by its digest, like a text (contract 5.14). */
const memberBytesMax = 4_096;

/**
 * What of a state may be shown: secrets as `"[secret]"`, texts and members over 4 KB as `{sha256,
 * bytes}`: of a text its UTF-8, of another value its JSON. Made when it is asked, so that nothing
 * of what is erased later is kept.
 */
export const masked =
  (sha256: Sha256) =>
  (shown: Shown): Json => {
    // Most members are neither.
    if (typeof shown !== 'string' && (typeof shown !== 'object' || shown === null)) return shown;
    if (isHidden(shown)) {
      return shown[hidden] === 'secret' ? '[secret]' : digestOf(sha256, textIn(shown.value));
    }
    if (isMembers(shown)) return mapped(shown, masked(sha256));
    const text = textIn(shown);
    // A character takes three bytes at most.
    if (text.length * 3 <= memberBytesMax) return shown;
    const digest = digestOf(sha256, text);
    return digest.bytes > memberBytesMax ? digest : shown;
  };

const textIn = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
const digestOf = (sha256: Sha256, text: string) => ({
  sha256: hexOf(sha256(text)),
  bytes: Buffer.byteLength(text),
});

/**
 * What changed between two states: members that differ, nested objects down to theirs, lists whole.
 * A state that is not there is null; one that came or went is there whole, without its nulls.
 */
export const patchesOf = (
  before: ShownMembers | null,
  after: ShownMembers | null,
  mask: (shown: Shown) => Json,
): Patches => {
  if (before === null || after === null) {
    return {
      before: before && whole(before, mask),
      after: after && whole(after, mask),
    };
  }
  const changed = difference(before, after, mask);
  return changed ?? { before: {}, after: {} };
};

type Both = { readonly before: JsonObject; readonly after: JsonObject };

const difference = (
  before: ShownMembers,
  after: ShownMembers,
  mask: (shown: Shown) => Json,
): Both | null => {
  const left: [string, Json][] = [];
  const right: [string, Json][] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [memberOf(before, name), memberOf(after, name)];
    if (one === other) continue;
    if (isMembers(one) && isMembers(other)) {
      const inner = difference(one, other, mask);
      if (inner === null) continue;
      left.push([name, inner.before]);
      right.push([name, inner.after]);
    } else if (!isSame(one, other)) {
      left.push([name, shownWhole(one, mask)]);
      right.push([name, shownWhole(other, mask)]);
    }
  }
  return left.length === 0
    ? null
    : { before: Object.fromEntries(left), after: Object.fromEntries(right) };
};

const shownWhole = (shown: Shown, mask: (shown: Shown) => Json): Json =>
  typeof shown === 'object' && isMembers(shown) ? whole(shown, mask) : mask(shown);

/** A patch says null for what is to go, so what is null already is left out. */
const whole = (members: ShownMembers, mask: (shown: Shown) => Json): JsonObject => {
  const shown: Record<string, Json> = {};
  for (const name of Object.keys(members)) {
    const one = members[name];
    if (one != null) put(shown, name, shownWhole(one, mask));
  }
  return shown;
};

/** Names come from clients: only own members are members. */
const memberOf = (members: ShownMembers, name: string): Shown =>
  Object.hasOwn(members, name) ? (members[name] ?? null) : null;

/** Entry by entry: a list of them would cost more than what they are mapped to. */
const mapped = <One extends Shown, Other>(
  members: { readonly [member: string]: One },
  each: (one: One) => Other,
): Record<string, Other> => {
  const all: Record<string, Other> = {};
  for (const name of Object.keys(members)) {
    const one = members[name];
    if (one !== undefined) put(all, name, each(one));
  }
  return all;
};

const isHidden = (shown: Shown): shown is Hidden =>
  typeof shown === 'object' && shown !== null && hidden in shown;
const isMembers = (shown: Shown): shown is ShownMembers =>
  typeof shown === 'object' && shown !== null && !Array.isArray(shown) && !(hidden in shown);

const isSame = (one: Shown, other: Shown): boolean => {
  if (isHidden(one) || isHidden(other)) {
    return isHidden(one) && isHidden(other) && isSame(one.value, other.value);
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  return JSON.stringify(one) === JSON.stringify(other);
};
