import { codePointCount } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { DatasetId, OrganizationId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { datasets, datasetStream } from '../facts/datasets.js';
import { scopedNames } from '../facts/reservations.js';

type Needs = { readonly log: EventLog; readonly ids: Ids };
type DatasetKey = { readonly organization: OrganizationId; readonly id: DatasetId };

/** Names are unique among the organisation's live datasets (contract 4.7, rule 2). */
export const datasetNames = scopedNames({
  what: 'dataset',
  called: 'A dataset',
  holder: datasetStream,
  fold: datasets,
});

/** Each try is a read of the log; who has a thousand datasets of one name needs another name. */
const suffixesMax = 1_000;
const nameMax = 255;

/**
 * The name that the dataset has from now on: the wanted one, or with `suffixed` the first free of
 * `name (1)`, `name (2)` … when it is taken. Throws Fault `already-exists`.
 */
export const claimDatasetName = async (
  needs: Needs,
  { organization, id }: DatasetKey,
  wanted: { readonly name: string; readonly suffixed: boolean },
  cause: Authorship,
): Promise<string> => {
  for (let suffix = 0; suffix <= (wanted.suffixed ? suffixesMax : 0); suffix += 1) {
    const name = withSuffix(wanted.name, suffix);
    if (await datasetNames.claim(needs, { scope: organization, name }, id, cause)) return name;
  }
  throw new Fault('already-exists', `A dataset named '${wanted.name}' exists already`);
};

/** Within the length of a name: a long one gives way to its suffix. */
const withSuffix = (name: string, suffix: number): string => {
  if (suffix === 0) return name;
  const end = ` (${suffix})`;
  if (codePointCount(name) + end.length <= nameMax) return name + end;
  return (
    Array.from(name)
      .slice(0, nameMax - end.length)
      .join('') + end
  );
};
