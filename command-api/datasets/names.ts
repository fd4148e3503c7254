import type { DatasetEvent } from '../../events/datasets.js';
import type { Decide } from '../../kernel/decision.js';
import { codePointCount } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { DatasetId, OrganizationId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { datasets, datasetStream, type Dataset } from '../facts/datasets.js';
import { scopedNames } from '../facts/reservations.js';

type Needs = { readonly log: EventLog; readonly ids: Ids };
export type DatasetKey = { readonly organization: OrganizationId; readonly id: DatasetId };

/** Dataset names, unique among the organisation's live datasets (contract 4.7, rule 2). */
export const datasetNames = scopedNames({
  what: 'dataset',
  scope: 'organizationId',
  called: 'A dataset',
  holder: datasetStream,
  fold: datasets,
});

/** Limit of suffixes tried: each try is a read of the log. */
const suffixesMax = 1_000;
const nameMax = 255;

/** A dataset's wanted name; `suffixed`: as `name (1)`, `name (2)` … when it is taken. */
export type WantedName = { readonly name: string; readonly suffixed: boolean };

/**
 * Transaction on a dataset that gives it the first name that is not taken, in one append with the
 * claim (D-235). Throws Fault `already-exists`.
 */
export const transactNamed = (
  needs: Needs,
  id: DatasetId,
  wanted: WantedName,
  decideFor: (name: string) => Decide<Dataset | null, DatasetEvent>,
  cause: Authorship,
) =>
  withFreeName(wanted, (name) =>
    datasetNames.transact(needs, id, datasets, decideFor(name), cause).catch(nullIfTaken),
  );

const nullIfTaken = (error: unknown): null => {
  if (error instanceof Fault && error.code === 'already-exists') return null;
  throw error;
};

/**
 * Result of `attempt` with the first name that it does not find taken, which it says by null.
 * Throws Fault `already-exists`.
 */
const withFreeName = async <T>(
  wanted: WantedName,
  attempt: (name: string) => Promise<T | null>,
): Promise<T> => {
  for (let suffix = 0; suffix <= (wanted.suffixed ? suffixesMax : 0); suffix += 1) {
    const result = await attempt(withSuffix(wanted.name, suffix));
    if (result !== null) return result;
  }
  throw new Fault('already-exists', `A dataset named '${wanted.name}' exists already`);
};

/**
 * Claims the wanted name of a dataset whose rows are stored before it is created. Throws Fault
 * `already-exists`.
 */
export const claimDatasetName = (
  needs: Needs,
  { organization, id }: DatasetKey,
  wanted: WantedName,
  cause: Authorship,
): Promise<string> =>
  withFreeName(wanted, async (name) => {
    const isOurs = await datasetNames.claim(needs, { scope: organization, name }, id, cause);
    return isOurs ? name : null;
  });

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
