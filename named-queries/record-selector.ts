import type { RecordSelector } from '../command-api/records/routes.js';
import type { Freshness } from '../contract/request-ports.js';
import type { EventReader } from '../kernel/ports.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import { recordsCollection } from '../projections/records/collection.js';
import type { FindUnknownKeys } from '../query-api/filters/unknown-metadata-keys.js';
import {
  selectionComplaints,
  selectRecords,
  previewRecords,
} from '../query-api/records/record-selection.js';
import {
  templateCollection,
  runCollections,
  type RunInProject,
  type TemplatesOf,
} from '../query-api/run-selection.js';

export type RecordSelectorNeeds = {
  readonly log: Pick<EventReader, 'head'>;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
};

/**
 * A deletion of 1,000 records may take this long on a busy machine; graceful shutdown waits 10 s.
 */
const waitMaxMs = 8_000;

/**
 * Waits until the read models have what was logged before; throws Fault when that takes too long.
 */
export const waitForRecords = async ({ log, freshness }: RecordSelectorNeeds): Promise<void> => {
  const collections = [recordsCollection, templateCollection, ...runCollections];
  await freshness.waitUntilApplied(
    collections.map(({ name }) => name),
    await log.head(),
    { atMostMs: waitMaxMs },
  );
};

/**
 * Read-your-writes: the selection includes all writes answered before it, else it fails with 503.
 */
export const recordSelectorOf = (
  needs: RecordSelectorNeeds & { readonly unknownKeys: FindUnknownKeys },
): RecordSelector => {
  const caughtUp = () => waitForRecords(needs);
  return {
    complaints: selectionComplaints,
    choose: async (population, project, body, limit) => {
      await caughtUp();
      return selectRecords(needs, population, project, body, limit);
    },
    preview: async (population, project, body, idsMax) => {
      await caughtUp();
      return previewRecords(needs, population, project, body, idsMax);
    },
    caughtUp: () =>
      needs.freshness.waitUntilApplied([recordsCollection.name], null, { atMostMs: waitMaxMs }),
  };
};
