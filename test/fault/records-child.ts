import { randomBytes } from 'node:crypto';
import fs, { rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { openRecords } from '../../engines/duckdb/records.js';
import { redactedReason } from '../../kernel/fault.js';
import { isDiskError } from '../../kernel/disk-errors.js';
import type { Incident } from '../../kernel/records/records.js';
import { pollUntil } from '../support/poll-until.js';
import { putRows, scopeOf, traceRow } from '../support/record-rows.js';

/**
 * A process whose records do not fit the disk until `filler` is removed from it. Arguments: folder,
 * and whether `statfs` shows the disk as it is or, as under a quota, a large one.
 */
const [dir = '', shown = ''] = process.argv.slice(2);
if (shown === 'large') {
  fs.statfs = (async () => ({ bavail: 1e9, bsize: 4_096 })) as unknown as typeof fs.statfs;
  syncBuiltinESMExports();
}

export type FullDiskReport = {
  /** Reasons of refused flushes. */
  readonly refused: readonly string[];
  /** Reactions of the engine to incidents while the disk was full. */
  readonly incidents: readonly Incident['did'][];
  /** Rows that were counted while the disk was full, with room, and after a restart. */
  readonly counts: readonly number[];
};

const refused: string[] = [];
const incidents: Incident['did'][] = [];
const counts: number[] = [];
const options = { dir, flushRetryMs: 1_000 };
const records = await openRecords({
  ...options,
  onIncident: ({ did }) => void incidents.push(did),
});
const flush = (): Promise<boolean> =>
  (records.flush?.() ?? Promise.resolve()).then(
    () => true,
    (error: unknown) => {
      if (!isDiskError(error)) throw error;
      refused.push(redactedReason(error));
      return false;
    },
  );
const putMissing = async (): Promise<void> => {
  for (let at = (await records.count(scopeOf())) + 1; at <= rowsMax; at += 1)
    await putRows(records, [traceRow(at, { values: { input: texts[at] ?? '' } })]);
};
/** Puts all rows that a flush which failed took back, as a fold of the log does. */
const fold = (): Promise<void> =>
  pollUntil('the reopened records have all rows', 20_000, () =>
    putMissing().then(
      () => true,
      () => false,
    ),
  );
const rowsMax = 16;
/** After a flush that the disk refused. */
const pauseMs = 60_000;
const texts = Array.from({ length: rowsMax + 1 }, () => randomBytes(750_000).toString('base64'));

await putRows(records, [traceRow(1)]);
await flush();
for (let round = 0; round < 3; round += 1) {
  await fold();
  await flush();
}
await fold();
counts.push(await records.count(scopeOf()));
const whileFull = { refused: [...refused], incidents: [...incidents] };
await rm(join(dir, 'filler'));
const now = performance.now.bind(performance);
performance.now = () => now() + pauseMs;
await fold();
if (!(await flush())) throw new Error(refused.at(-1));
counts.push(await records.count(scopeOf()));
await records.close();
const again = await openRecords({ dir });
counts.push(await again.count(scopeOf()));
await again.close();
const report: FullDiskReport = { ...whileFull, counts };
process.stdout.write(`${JSON.stringify(report)}\n`);
