import { toHex } from '../../kernel/hex.js';
import type { Sha256 } from '../../kernel/ports.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { setMember } from '../records/row-builder.js';

const maskKind: unique symbol = Symbol('hidden');
/** A masked value: history shows its digest, or nothing. */
type MaskedValue = { readonly [maskKind]: 'text' | 'secret'; readonly value: Json };
/** State of a resource in history, before masking. */
export type StateValue = Json | MaskedValue | StateMembers;
export type StateMembers = { readonly [member: string]: StateValue };

/** Marks a text of a record, a rating or a dataset row; null stays null. */
export const maskedText = (value: Json): StateValue =>
  value === null ? null : { [maskKind]: 'text', value };
/** Marks a secret, which is always shown as `"[secret]"`. */
export const maskedSecret = (value: Json): StateValue => ({ [maskKind]: 'secret', value });

/** Marks each member with one of these names as a text. */
export const withMaskedTexts = (members: JsonObject, names: readonly string[]): StateMembers => {
  const shown: Record<string, StateValue> = { ...members };
  for (const name of names) {
    const one = members[name];
    if (one !== undefined) shown[name] = maskedText(one);
  }
  return shown;
};
/** Marks each value as a text; names stay. */
export const maskedTexts = (members: JsonObject): StateMembers => mapMembers(members, maskedText);

/** State of a metric value: numbers and booleans as they are, all else as text. */
export const metricStateValue = (value: Json): StateValue =>
  typeof value === 'number' || typeof value === 'boolean' ? value : maskedText(value);
/** State of metric values by metric name. */
export const metricStateValues = (values: Json): StateMembers =>
  mapMembers(values as JsonObject, metricStateValue);

/** JSON merge patches (RFC 7396) to the state before and the state after. */
export type MergePatches = {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

/** Longest member shown in full; longer ones are shown by digest, like a text (contract 5.14). */
const memberBytesMax = 4_096;

/**
 * Masks a state for display: secrets as `"[secret]"`, texts and members over 4 KB as `{sha256,
 * bytes}`: of a text its UTF-8, of another value its JSON. Computed on request, so that erased
 * content is never stored.
 */
export const openMask =
  (sha256: Sha256) =>
  (shown: StateValue): Json => {
    // Fast path: most members are neither.
    if (typeof shown !== 'string' && (typeof shown !== 'object' || shown === null)) return shown;
    if (isHidden(shown)) {
      return shown[maskKind] === 'secret' ? '[secret]' : digestOf(sha256, textIn(shown.value));
    }
    if (isMembers(shown)) return mapMembers(shown, openMask(sha256));
    const text = textIn(shown);
    // A UTF-16 code unit takes three bytes at most.
    if (text.length * 3 <= memberBytesMax) return shown;
    const digest = digestOf(sha256, text);
    return digest.bytes > memberBytesMax ? digest : shown;
  };

const textIn = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
const digestOf = (sha256: Sha256, text: string) => ({
  sha256: toHex(sha256(text)),
  bytes: Buffer.byteLength(text),
});

/**
 * Difference between two states as patches: members that differ, nested objects recursively, lists
 * whole. An absent state is null; one that was created or deleted is shown whole, without its
 * nulls.
 */
export const mergePatches = (
  before: StateMembers | null,
  after: StateMembers | null,
  mask: (shown: StateValue) => Json,
): MergePatches => {
  if (before === null || after === null) {
    return {
      before: before && withoutNulls(before, mask),
      after: after && withoutNulls(after, mask),
    };
  }
  const changed = changedMembers(before, after, mask);
  return changed ?? { before: {}, after: {} };
};

type Both = { readonly before: JsonObject; readonly after: JsonObject };

const changedMembers = (
  before: StateMembers,
  after: StateMembers,
  mask: (shown: StateValue) => Json,
): Both | null => {
  const left: [string, Json][] = [];
  const right: [string, Json][] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [memberOf(before, name), memberOf(after, name)];
    if (one === other) continue;
    if (isMembers(one) && isMembers(other)) {
      const inner = changedMembers(one, other, mask);
      if (inner === null) continue;
      left.push([name, inner.before]);
      right.push([name, inner.after]);
    } else if (!isSame(one, other)) {
      left.push([name, unmaskedOrWhole(one, mask)]);
      right.push([name, unmaskedOrWhole(other, mask)]);
    }
  }
  return left.length === 0
    ? null
    : { before: Object.fromEntries(left), after: Object.fromEntries(right) };
};

const unmaskedOrWhole = (shown: StateValue, mask: (shown: StateValue) => Json): Json =>
  typeof shown === 'object' && isMembers(shown) ? withoutNulls(shown, mask) : mask(shown);

/** Removes nulls, which in a merge patch mean deletion. */
const withoutNulls = (members: StateMembers, mask: (shown: StateValue) => Json): JsonObject => {
  const shown: Record<string, Json> = {};
  for (const name of Object.keys(members)) {
    const one = members[name];
    if (one != null) setMember(shown, name, unmaskedOrWhole(one, mask));
  }
  return shown;
};

/** Own members only, since names come from clients. */
const memberOf = (members: StateMembers, name: string): StateValue =>
  Object.hasOwn(members, name) ? (members[name] ?? null) : null;

/** Maps entry by entry: a list of entries would cost more than the mapped values. */
const mapMembers = <One extends StateValue, Other>(
  members: { readonly [member: string]: One },
  each: (one: One) => Other,
): Record<string, Other> => {
  const all: Record<string, Other> = {};
  for (const name of Object.keys(members)) {
    const one = members[name];
    if (one !== undefined) setMember(all, name, each(one));
  }
  return all;
};

const isHidden = (shown: StateValue): shown is MaskedValue =>
  typeof shown === 'object' && shown !== null && maskKind in shown;
const isMembers = (shown: StateValue): shown is StateMembers =>
  typeof shown === 'object' && shown !== null && !Array.isArray(shown) && !(maskKind in shown);

const isSame = (one: StateValue, other: StateValue): boolean => {
  if (isHidden(one) || isHidden(other)) {
    return isHidden(one) && isHidden(other) && isSame(one.value, other.value);
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other;
  }
  return JSON.stringify(one) === JSON.stringify(other);
};
