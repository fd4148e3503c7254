import type { DatasetEvent } from '../../events/datasets.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { DatasetId, OrganizationId } from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { datasets, datasetStream, type Dataset } from '../facts/datasets.js';
import { withFreeName, type WantedName } from '../facts/free-names.js';
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
    datasetNames.transact(needs, id, datasets, decideFor(name), cause),
  );

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
    if (isOurs) return name;
    throw new Fault('already-exists', `A dataset named '${name}' exists already`);
  });
