import type { UnknownMembers } from '../../contract/operation.js';
import { extraForbidden, type Complaint, valueComplaint } from '../../kernel/fault.js';
import { nearestName } from '../../kernel/nearest-name.js';

/** A part of a request that the operation does not read (contract 1.2, rule 3). */
export type IgnoredPart = {
  readonly location: 'query' | 'body';
  /** Empty: the whole body, of an operation that has none. */
  readonly path: readonly string[];
  /** `repeated`: an earlier value of a name that was sent again; the last one is read. */
  readonly reason: 'unknown' | 'repeated';
  /** Names that could be meant, in this place or in another one. */
  readonly knownNames: readonly string[];
};

/** Whether nothing may be ignored: `Prefer: handling=strict` (RFC 7240); the first one counts. */
export const isStrictHandling = (prefer: string | readonly string[] | undefined): boolean =>
  /(?:^|,)\s*handling\s*=\s*"?(\w+)/i.exec(String(prefer ?? ''))?.[1]?.toLowerCase() === 'strict';

/** Contract 1.2, rule 3. */
const pathsMax = 20;
const charactersMax = 2_048;
/** Of one name: a client that sends longer ones knows which it was. */
const nameMax = 64;

/** Each part under the name that the answer has for it, once. */
export const ignoredNames = (ignored: readonly IgnoredPart[]): readonly string[] => [
  ...new Set(
    ignored.map(({ location, path }) => {
      if (location === 'query') return `?${encodeName(path[0] ?? '')}`;
      return path.length === 0 ? '/' : encodeMemberPath(path);
    }),
  ),
];

/** As many names as a header has room for, and `...` for the rest of them. */
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

/** The path of a member of the body: names and indices, joined by `/`. */
export const encodeMemberPath = (path: readonly string[]): string => path.map(encodeName).join('/');

const encodeName = (name: string): string => {
  const characters = Array.from(name.slice(0, 2 * nameMax));
  const shown = encodeURIComponent(characters.slice(0, nameMax).join('').toWellFormed());
  return characters.length > nameMax ? `${shown}...` : shown;
};

/** The name of a column, which may have slashes. */
export const encodeColumn = (column: string): string => column.split('/').map(encodeName).join('/');

/** Complaints about what the operation does not tolerate, or nobody under strict handling. */
export const ignoredComplaints = (
  ignored: readonly IgnoredPart[],
  rule: UnknownMembers,
): readonly Complaint[] => {
  if (rule === 'ignored') return [];
  return ignored.flatMap((one) => {
    const complaint = complaintOf(one);
    const isNear = one.reason === 'repeated' || complaint.msg !== extraForbidden([]).msg;
    return rule === 'refused' || isNear ? [complaint] : [];
  });
};

const complaintOf = ({ location, path, reason, knownNames }: IgnoredPart): Complaint => {
  const loc = [location, ...path];
  if (reason === 'repeated') return valueComplaint(loc, 'was given more than once');
  return extraForbidden(loc, suggestedName(path.at(-1) ?? '', knownNames));
};

/**
 * The known name that may be meant: the name itself, one that is near, or the other of the two
 * members with filters, of which some operations take only one.
 */
const suggestedName = (name: string, known: readonly string[]): string | null => {
  if (known.includes(name)) return name;
  const near = nearestName(name, known);
  if (near !== null || nearestName(name, filterMembers) === null) return near;
  return known.find((member) => filterMembers.includes(member)) ?? null;
};
const filterMembers: readonly string[] = ['filters', 'filter_tree'];
