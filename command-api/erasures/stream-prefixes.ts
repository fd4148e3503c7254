import { streamKinds } from '../../events/all.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';

/** A deleted run or project; `project` of a run is the one that it was in. */
export type DeletedContainer = {
  readonly kind: 'run' | 'project';
  readonly id: string;
  readonly project: string;
};

/**
 * Name prefix of streams that may belong to a deleted container. `owner`: all of them are this
 * container's; null: their first event names the owner.
 */
export type StreamPrefix = { readonly prefix: string; readonly owner: string | null };

type StreamKind = (typeof streamKinds)[number];

const isRecord = ({ noun }: StreamKind): boolean => noun === 'trace' || noun === 'session';
/** Kinds of streams that are erased with a run or with its project, records first. */
const erasedKinds = streamKinds
  .filter(({ erasedWith }) => erasedWith === 'run' || erasedWith === 'project')
  .toSorted((one, other) => Number(isRecord(other)) - Number(isRecord(one)));

/**
 * Prefixes for any number of deleted projects, or for deleted runs of one project; records first.
 */
export const streamPrefixesOf = (deleted: readonly DeletedContainer[]): readonly StreamPrefix[] => {
  const found = erasedKinds.flatMap((stream) =>
    deleted.flatMap((container) => prefixOf(stream, container) ?? []),
  );
  const byPrefix = new Map(found.map((one) => [one.prefix, one]));
  const shared = [...byPrefix.values()].filter(({ owner }) => owner === null);
  const isCovered = ({ prefix, owner }: StreamPrefix): boolean =>
    owner === null &&
    shared.some((other) => other.prefix !== prefix && prefix.startsWith(other.prefix));
  return [...byPrefix.values()].filter((one) => !isCovered(one));
};

/** Null: the container's id is the whole rest of the name, or the streams outlive the run. */
const prefixOf = (
  { noun, ids, erasedWith }: StreamKind,
  { kind, id, project }: DeletedContainer,
): StreamPrefix | null => {
  if (kind === 'run' && erasedWith === 'project') return null;
  const isKnown = (names: readonly string[]): boolean =>
    names.length === 1 && names.every((name) => name === kind || name === 'project');
  const unknown = ids.findIndex((names) => !isKnown(names));
  if (unknown === -1) return null;
  const known = ids.slice(0, unknown).map((names) => (names.includes(kind) ? id : project));
  const owner = known.includes(id) ? id : null;
  return { prefix: `${streamNameOf(noun, ...known)}-`, owner };
};

/** Streams named after the deleted id. Its own is last: until then it says what existed. */
export const streamsNamedAfter = ({ kind, id }: DeletedContainer): readonly StreamName[] =>
  erasedKinds
    .filter(({ ids: [first, second] }) => first?.includes(kind) === true && second === undefined)
    .toSorted((one, other) => Number(one.noun === kind) - Number(other.noun === kind))
    .map(({ noun }) => streamNameOf(noun, id));
