import type { RecordsAsRows } from '../../command-api/datasets/from-records.js';
import { datasetRecordsComplaints, recordsAsRows } from '../../query-api/records/dataset-rows.js';
import { caughtUpRecords, type RecordChoiceNeeds } from './record-choice.js';

/** Everything that was answered before the choice is in it, or it is refused: 503. */
export const recordsAsRowsOf = (needs: RecordChoiceNeeds): RecordsAsRows => ({
  complaints: datasetRecordsComplaints,
  choose: async (body) => {
    await caughtUpRecords(needs);
    return recordsAsRows(needs, body);
  },
});
