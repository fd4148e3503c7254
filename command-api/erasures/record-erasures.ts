import type { RecordsDeleted } from '../../events/deletions.js';
import type { ErasureEvent } from '../../events/erasures.js';
import type { Decision, Fold } from '../../kernel/decision.js';
import type { Position, StoredEvent } from '../../kernel/ports.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { erasureStream } from '../facts/erasures.js';
import { eraseRecords } from '../work/record-deletions.js';
import type { ErasureNeeds, ErasureProcess } from './run-and-project-erasures.js';
import { reactionAuthorship } from '../work/service-authorship.js';

/** Events of the log scanned in one step: a few milliseconds. */
const stepEvents = 2_000;

type Pending = { readonly event: StoredEvent; readonly before: Position };

/**
 * Process manager of `RecordsDeleted`: writes each record's tombstone and erases its content.
 * Idempotent: after a kill, what is not recorded as complete is repeated from the cursor.
 */
export const openRecordErasures = ({ log, clock, ids, after }: ErasureNeeds): ErasureProcess => {
  const pending = new Map<string, Pending>();
  let position = after;

  const findDeletions = async (): Promise<boolean> => {
    const page = await log.page(position, stepEvents, ['RecordsDeleted']);
    for (const event of page.events) {
      const { deletion_id: id } = event.data as RecordsDeleted;
      const done = await loadStreamState(log, erasureStream(id), completed);
      if (!done.state) pending.set(id, { event, before: position });
    }
    const moved = page.through > position;
    position = page.through;
    return moved;
  };
  const act = async (id: string, { event }: Pending): Promise<void> => {
    const authorship = reactionAuthorship({ clock, ids }, event);
    const deleted = event.data as RecordsDeleted;
    await eraseRecords(log, deleted, authorship);
    await transact(
      log,
      erasureStream(id),
      completed,
      (isComplete): Decision<ErasureEvent> =>
        isComplete ? [] : [{ type: 'ErasureCompleted', data: completion(deleted) }],
      authorship,
    );
    pending.delete(id);
  };

  return {
    step: async () => {
      for (const [id, deletion] of pending) {
        await act(id, deletion);
        return true;
      }
      return findDeletions();
    },
    pending: () => [...pending.values()].map(({ event }) => event.metadata.at),
    cursor: () =>
      [...pending.values()].reduce((low, { before }) => (before < low ? before : low), position),
  };
};

/** True once the erasure is complete. */
const completed: Fold<boolean, ErasureEvent> = { initial: false, evolve: () => true };

const completion = (deleted: RecordsDeleted): Completed['data'] => ({
  deleted: 'records',
  deleted_id: deleted.deletion_id,
  project_id: deleted.project_id,
  streams: deleted.session_ids.length + deleted.trace_ids.length,
});

type Completed = Extract<ErasureEvent, { readonly type: 'ErasureCompleted' }>;
