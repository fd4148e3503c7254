import type { IncomingMessage } from 'node:http';
import type { UnknownMembers } from '../../contract/operation.js';
import { extraForbidden, type Complaint, valueComplaint } from '../../kernel/fault.js';
import { nearestName } from '../../kernel/nearest-name.js';
import type { IgnoredMember } from '../ajv/ignored-members.js';
import type { ParsedBody } from './json-parser.js';
import type { CompiledRoute } from './compiled-routes.js';

/** Part of a request that the operation does not read (contract 1.2, rule 3). */
export type IgnoredPart = {
  readonly location: 'query' | 'body';
  /** Empty for the whole body of an operation without one. */
  readonly path: readonly string[];
  /** `repeated`: an earlier value of a name that was sent again; the last one is read. */
  readonly reason: 'unknown' | 'repeated';
  /** Names that could be meant, in this place or in another one. */
  readonly knownNames: readonly string[];
};

/** True if ignored parts are errors: `Prefer: handling=strict` (RFC 7240); the first one counts. */
export const isStrictHandling = (prefer: string | readonly string[] | undefined): boolean =>
  /(?:^|,)\s*handling\s*=\s*"?(\w+)/i.exec(String(prefer ?? ''))?.[1]?.toLowerCase() === 'strict';

/** Limits of contract 1.2, rule 3. */
const pathsMax = 20;
const charactersMax = 2_048;
/** Characters shown of one name: the client knows its own longer names. */
const nameMax = 64;

/** Name of each part in the response, without duplicates. */
export const ignoredNames = (ignored: readonly IgnoredPart[]): readonly string[] => [
  ...new Set(
    ignored.map(({ location, path }) => {
      if (location === 'query') return `?${encodeName(path[0] ?? '')}`;
      return path.length === 0 ? '/' : encodeMemberPath(path);
    }),
  ),
];

/** Cuts the names to the room of a header, with `...` for the rest. */
export const truncateNames = (names: readonly string[]): readonly string[] => {
  let characters = 0;
  for (const [index, name] of names.entries()) {
    characters += name.length + (index === 0 ? 0 : separator.length);
    if (index === pathsMax || characters > charactersMax) return [...names.slice(0, index), '...'];
  }
  return names;
};
const separator = ', ';
export const joinNames = (names: readonly string[]): string => names.join(separator);

/** Path of a member of the body: names and indices, joined by `/`. */
export const encodeMemberPath = (path: readonly string[]): string => path.map(encodeName).join('/');

const encodeName = (name: string): string => {
  const characters = Array.from(name.slice(0, 2 * nameMax));
  const shown = encodeURIComponent(characters.slice(0, nameMax).join('').toWellFormed());
  return characters.length > nameMax ? `${shown}...` : shown;
};

/** Name of a column, which may have slashes. */
export const encodeColumn = (column: string): string => column.split('/').map(encodeName).join('/');

/**
 * Complaints about the ignored parts that `rule` forbids. `Prefer: handling=strict` forbids all of
 * them on every operation.
 */
export const ignoredComplaints = (
  ignored: readonly IgnoredPart[],
  rule: UnknownMembers,
): readonly Complaint[] => {
  if (rule === 'ignored') return [];
  return ignored.flatMap((part) => {
    const complaint = complaintOf(part);
    const isNear = part.reason === 'repeated' || complaint.msg !== extraForbidden([]).msg;
    return rule === 'refused' || isNear ? [complaint] : [];
  });
};

const complaintOf = ({ location, path, reason, knownNames }: IgnoredPart): Complaint => {
  const loc = [location, ...path];
  if (reason === 'repeated') return valueComplaint(loc, 'was given more than once');
  return extraForbidden(loc, suggestedName(path.at(-1) ?? '', knownNames));
};

/**
 * Suggests the known name that may be meant: the name itself, a similar one, or the other of the
 * two filter members, of which some operations take only one.
 */
const suggestedName = (name: string, known: readonly string[]): string | null => {
  if (known.includes(name)) return name;
  const near = nearestName(name, known);
  if (near !== null || nearestName(name, filterMembers) === null) return near;
  return known.find((member) => filterMembers.includes(member)) ?? null;
};
const filterMembers: readonly string[] = ['filters', 'filter_tree'];

/** Parts of a request that are checked. */
type SentParts = {
  readonly message: IncomingMessage;
  readonly query: Readonly<Record<string, readonly string[]>>;
};

/**
 * Collects the parts of a request that its operation does not read, in the order of the response.
 */
export const collectIgnored = (
  compiledRoute: CompiledRoute,
  sent: SentParts,
  body: ParsedBody,
  members: readonly IgnoredMember[],
): readonly IgnoredPart[] => [
  ...ignoredQuery(compiledRoute, sent),
  ...ignoredBody(compiledRoute, sent, members),
  ...('value' in body ? (body.repeated ?? []) : []).map((path) => repeatedPart('body', path)),
];

const repeatedPart = (place: IgnoredPart['location'], path: readonly string[]): IgnoredPart => ({
  location: place,
  path,
  reason: 'repeated',
  knownNames: [],
});

const ignoredQuery = (
  { queryNames, bodyNames }: CompiledRoute,
  { query }: SentParts,
): readonly IgnoredPart[] =>
  Object.entries(query).flatMap(([name, values]): readonly IgnoredPart[] => {
    const takes = queryNames.get(name);
    if (takes === undefined) {
      const known = [...queryNames.keys(), ...bodyNames];
      return [{ location: 'query', path: [name], reason: 'unknown', knownNames: known }];
    }
    return takes === 'one' && values.length > 1 ? [repeatedPart('query', [name])] : [];
  });

const ignoredBody = (
  { body, queryNames }: CompiledRoute,
  { message }: SentParts,
  members: readonly IgnoredMember[],
): readonly IgnoredPart[] =>
  (body === null && hasBody(message) ? [{ path: [], known: [] }] : members).map(
    ({ path, known }) => ({
      location: 'body',
      path,
      reason: 'unknown',
      knownNames: path.length === 1 ? [...known, ...queryNames.keys()] : known,
    }),
  );

/** Two bytes of JSON have no members. */
const emptyBytes = 2;
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > emptyBytes;
