import type { RecordChoice } from '../../command-api/records/routes.js';
import type { Freshness } from '../../contract/gate.js';
import type { EventReader } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import { recordsCollection } from '../../projections/records/collection.js';
import type { UnknownKeys } from '../../query-api/filters/metadata-keys.js';
import { choiceComplaints, chooseRecords, previewRecords } from '../../query-api/records/choice.js';
import {
  annotationTemplates,
  runCollections,
  type RunInProject,
  type TemplatesOf,
} from '../../query-api/selection.js';

export type RecordChoiceNeeds = {
  readonly log: Pick<EventReader, 'head'>;
  readonly records: Records;
  readonly freshness: Freshness;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
};

/** As the deletion of 1,000 records may take on a busy machine; a stop waits for 10 s. */
const waitMaxMs = 8_000;

/** Waits until the read models have what was logged before; Fault when that takes too long. */
export const caughtUpRecords = async ({ log, freshness }: RecordChoiceNeeds): Promise<void> => {
  const asked = [recordsCollection, annotationTemplates, ...runCollections];
  await freshness.reached(
    asked.map(({ name }) => name),
    await log.head(),
    { atMostMs: waitMaxMs },
  );
};

/** Everything that was answered before the choice is in it, or it is refused: 503. */
export const recordChoiceOf = (
  needs: RecordChoiceNeeds & { readonly unknownKeys: UnknownKeys },
): RecordChoice => {
  const caughtUp = () => caughtUpRecords(needs);
  return {
    complaints: choiceComplaints,
    choose: async (population, project, body, limit) => {
      await caughtUp();
      return chooseRecords(needs, population, project, body, limit);
    },
    preview: async (population, project, body, idsMax) => {
      await caughtUp();
      return previewRecords(needs, population, project, body, idsMax);
    },
    followed: () =>
      needs.freshness.reached([recordsCollection.name], null, { atMostMs: waitMaxMs }),
  };
};
