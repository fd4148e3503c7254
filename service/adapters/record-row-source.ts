import type { RecordRowSource } from '../../command-api/datasets/record-appends.js';
import { datasetRecordsComplaints, recordsToRows } from '../../query-api/records/dataset-rows.js';
import { waitForRecords, type RecordSelectorNeeds } from './record-selector.js';

/** Everything that was answered before the choice is in it, or it is refused: 503. */
export const openRecordsToRows = (needs: RecordSelectorNeeds): RecordRowSource => ({
  complaints: datasetRecordsComplaints,
  choose: async (body) => {
    await waitForRecords(needs);
    return recordsToRows(needs, body);
  },
});
