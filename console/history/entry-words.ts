import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import type { User } from '../../clients/typescript/src/generated/users-types.js';
import { memberChanges, type EntryNames, type MemberChange } from './model.js';

/** Words of an event type, the verb last: `TraceLogged` is `trace logged`. */
const wordsOf = (type: string): readonly string[] =>
  type
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => (word === 'Api' ? 'API' : word === 'Otel' ? 'OTel' : word.toLowerCase()));

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** An event type in words: `TraceLogged` is `Trace logged`. */
export const eventWords = (type: string): string => capitalised(wordsOf(type).join(' '));

/** Kinds of events that a group names; the others are counted. */
const namedKindsMax = 3;

/** Entries of one request in words: `12 traces logged, session started`. */
export const groupWords = (types: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const named = [...counts]
    .slice(0, namedKindsMax)
    .map(([type, count]) => countedWords(type, count));
  const others = counts.size - named.length;
  return capitalised([...named, ...(others > 0 ? [`${others} other kinds`] : [])].join(', '));
};

const countedWords = (type: string, count: number): string => {
  const words = wordsOf(type);
  if (count === 1) return words.join(' ');
  const noun = words.at(-2);
  if (noun === undefined) return `${words.join(' ')} ${count} times`;
  return [count, ...words.slice(0, -2), pluralOf(noun), words.at(-1)].join(' ');
};

const pluralOf = (noun: string): string => {
  if (noun.endsWith('s')) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
};

type KnownKey = { readonly id: string; readonly description: string };
type KnownPerson = Pick<User, 'id' | 'email' | 'first_name' | 'last_name'>;
type KnownTemplate = { readonly id: string; readonly name: string };

/** Names that entries themselves give to their things, the newest first, and those of lists. */
export const namesOf = (
  entries: readonly HistoryEntry[],
  people: readonly KnownPerson[],
  keys: readonly KnownKey[],
  templates: readonly KnownTemplate[] = [],
): EntryNames => {
  const names = new Map<string, string>();
  for (const { resource, before, after } of entries.toSorted((one, other) => one.seq - other.seq)) {
    const name = nameIn(after) ?? nameIn(before);
    if (name !== null) names.set(resource.id, name);
  }
  for (const { id, name } of templates) names.set(id, name);
  for (const { id, description } of keys) if (description !== '') names.set(id, description);
  for (const { id, email, first_name: first, last_name: last } of people) {
    names.set(id, `${first} ${last}`.trim() || email);
  }
  return names;
};

const nameIn = (patch: HistoryEntry['after']): string | null => {
  const name = patch?.['name'] ?? patch?.['description'] ?? patch?.['email'];
  return typeof name === 'string' && name !== '' ? name : null;
};

/** The actor by name: a person, a key by its description, or the service. */
export const actorText = ({ actor }: HistoryEntry, names: EntryNames): string => {
  if (actor.type === 'system') return 'the service';
  const name = names.get(actor.id);
  if (actor.type === 'api_key') return `key ${name ?? actor.id.slice(0, 8)}`;
  return name ?? actor.email ?? actor.id.slice(0, 8);
};

/** The actor in full: kind, id, e-mail and the role that was used. */
export const actorTitle = ({ actor }: HistoryEntry): string =>
  [actor.type.replace('_', ' '), actor.id, actor.email, `as ${actor.role}`]
    .filter((part) => part !== null)
    .join(' ');

/** The thing of an entry: its kind, and its name or the first digits of its id. */
export const thingText = (
  { resource }: Pick<HistoryEntry, 'resource'>,
  names: EntryNames,
): { readonly kind: string; readonly name: string } => ({
  kind: resource.type.replaceAll('_', ' '),
  name: names.get(resource.id) ?? resource.id.slice(0, 8),
});

/** Members that say which thing it is, or when it changed, and not what changed about it. */
const isIdentity = (path: string): boolean =>
  /(^|_)(id|type)$|^(created_at|updated_at|created_by)$/.test(path);

/**
 * Changes that a line shows: of what was there before, without members of its identity. A new thing
 * has none: its name says which it is, and the open entry all that it has.
 */
export const lineChanges = (
  { before, after }: Pick<HistoryEntry, 'before' | 'after'>,
  names: EntryNames = new Map(),
): readonly MemberChange[] =>
  before === null
    ? []
    : memberChanges(before, after, names)
        .filter(({ path }) => !isIdentity(path))
        .map((change) => ({ ...change, path: change.path.replace(ratedPath, '$1') }));

/** Path of a rating: template and person say what it is, so that its value fits into a line. */
const ratedPath = /^annotations \/ (.+) \/ value$/;
