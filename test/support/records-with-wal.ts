import { openRecords } from '../../engines/duckdb/records.js';
import type { Records } from '../../kernel/records/records.js';
import { failAt } from './failing-statement.js';

/** Records of an engine that writes a write-ahead log, as that of earlier versions did. */
export const recordsWithWal = async (dir: string): Promise<Records> => {
  const message = 'Enum value: unrecognized value "no_wal_writes" for enum "RecoveryMode"';
  failAt(/RECOVERY_MODE/, `Not implemented Error: ${message}`, 'run');
  return openRecords({ dir });
};
