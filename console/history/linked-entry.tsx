import type { HistoryEntry } from '../../clients/typescript/src/generated/history-types.js';
import { Button } from '../parts/button.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { EntryList, type EntryListProps } from './entries.js';
import { useEntryByNumber, type AuditPermit } from './questions.js';

/** The entry that the address names, where the list does not have it. */
export const LinkedEntry = (props: {
  readonly permit: AuditPermit;
  readonly projectId: string | null;
  /** Number of the entry; null: none. */
  readonly sel: string | null;
  readonly entries: readonly HistoryEntry[];
  readonly list: Omit<EntryListProps, 'entries'>;
}) => {
  const { permit, projectId, sel, entries, list } = props;
  const isListed = entries.some(({ seq }) => String(seq) === sel);
  const isNumber = sel !== null && /^[1-9]\d{0,14}$/.test(sel);
  const entry = useEntryByNumber(permit, projectId, Number(sel), isNumber && !isListed);
  if (!isNumber || isListed) return null;
  return (
    <section class="stack" aria-label={`Entry ${sel}`}>
      <p class="note">
        Entry {sel}, which the list below does not show: it is older, or has another range or
        filter.
      </p>
      <FaultNotice fault={entry.fault} onRetry={entry.refetch} />
      {entry.isLoading && <Skeleton rows={1} />}
      {entry.value === null && (
        <EmptyNotice title={`No entry ${sel} here`}>
          <p>The history has no such entry, or it is of another project.</p>
          <Button onClick={() => list.onOpen(null)}>Close</Button>
        </EmptyNotice>
      )}
      {entry.value !== null && entry.value !== undefined && (
        <EntryList entries={[entry.value]} {...list} />
      )}
    </section>
  );
};
