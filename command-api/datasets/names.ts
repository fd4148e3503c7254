import { codePointCount } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { DatasetId, OrganizationId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { datasets, datasetStream } from '../facts/datasets.js';
import { scopedNames } from '../facts/reservations.js';

type Needs = { readonly log: EventLog; readonly ids: Ids };
type DatasetKey = { readonly organization: OrganizationId; readonly id: DatasetId };

/** Dataset names, unique among the organisation's live datasets (contract 4.7, rule 2). */
export const datasetNames = scopedNames({
  what: 'dataset',
  called: 'A dataset',
  holder: datasetStream,
  fold: datasets,
});

/** Limit of suffixes tried: each try is a read of the log. */
const suffixesMax = 1_000;
const nameMax = 255;

/**
 * Claims the dataset's name: the wanted one or, with `suffixed`, the first free of `name (1)`,
 * `name (2)` … when it is taken. Throws Fault `already-exists`.
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

/** Appends the suffix and truncates the name so that both fit. */
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
