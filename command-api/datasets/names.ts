import { codePoints } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids, StreamName } from '../../kernel/ports.js';
import { claim, type Standing } from '../../kernel/reservation.js';
import type { DatasetId, OrganizationId } from '../../kernel/shapes.js';
import { load, type Authorship } from '../../kernel/transact.js';
import { datasets, datasetStream } from '../facts/datasets.js';
import { reservationStream } from '../facts/reservations.js';

type Needs = { readonly log: EventLog; readonly ids: Ids };
type Place = { readonly organization: OrganizationId; readonly id: DatasetId };

/** Names are unique among the organisation's live datasets (contract 4.7, rule 2). */
export const datasetNameStream = (
  ids: Ids,
  organization: OrganizationId,
  name: string,
): StreamName => reservationStream('dataset', ids.derive('Reservation', organization, name));

const standing =
  (log: EventLog, name: string) =>
  async (holder: string): Promise<Standing> => {
    const { state } = await load(log, datasetStream(holder), datasets);
    if (state !== null && !state.live) return 'gone';
    return state?.name === name ? 'has it' : 'may come';
  };

/** Each try is a read of the log; who has a thousand datasets of one name needs another name. */
const suffixesMax = 1_000;
const nameMax = 255;

/**
 * The name that the dataset has from now on: the wanted one, or with `suffixed` the first free of
 * `name (1)`, `name (2)` … when it is taken. Throws Fault `already-exists`.
 */
export const takeName = async (
  { log, ids }: Needs,
  { organization, id }: Place,
  wanted: { readonly name: string; readonly suffixed: boolean },
  cause: Authorship,
): Promise<string> => {
  for (let suffix = 0; suffix <= (wanted.suffixed ? suffixesMax : 0); suffix += 1) {
    const name = withSuffix(wanted.name, suffix);
    const names = datasetNameStream(ids, organization, name);
    if (await claim(log, names, id, standing(log, name), cause)) return name;
  }
  throw new Fault('already-exists', `A dataset named '${wanted.name}' exists already`);
};

/** Within the length of a name: a long one gives way to its suffix. */
const withSuffix = (name: string, suffix: number): string => {
  if (suffix === 0) return name;
  const end = ` (${suffix})`;
  if (codePoints(name) + end.length <= nameMax) return name + end;
  return (
    Array.from(name)
      .slice(0, nameMax - end.length)
      .join('') + end
  );
};
