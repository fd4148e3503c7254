import type { RecordRowSource } from '../command-api/datasets/record-appends.js';
import { datasetRecordsComplaints, recordsToRows } from '../query-api/records/dataset-rows.js';
import { waitForRecords, type RecordSelectorNeeds } from './record-selector.js';

/**
 * Selects records as rows of a dataset. Read-your-writes: the selection includes all writes
 * answered before it; if the read models lag, it fails with 503.
 */
export const openRecordsToRows = (needs: RecordSelectorNeeds): RecordRowSource => ({
  complaints: datasetRecordsComplaints,
  choose: async (body) => {
    await waitForRecords(needs);
    return recordsToRows(needs, body);
  },
});
