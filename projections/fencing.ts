import { Fault } from '../kernel/fault.js';
import type { Position } from '../kernel/ports.js';
import type { Collection, Document, Documents } from '../kernel/documents.js';
import { openMutex } from '../kernel/concurrency.js';

/** Scope of all documents of a projector's state. */
export const stateScope = 'service';

/** Write of one document of a projector's state; a null document deletes it. */
export type StateWrite = { readonly key: string; readonly document: Document | null };

export const stateDocument = (
  kind: string,
  key: string,
  projection: string | null,
  body: unknown,
): StateWrite => ({
  key,
  document: { key, scope: stateScope, fields: { kind, projection }, body },
});

/**
 * Writes the projector's state under its fencing token, with optimistic concurrency: each write
 * requires the stored position that this process last wrote or read. When two processes raise the
 * token at once, one is refused, and a replaced process cannot raise it above its successor's.
 */
export const openFencedWriter = async (documents: Documents, state: Collection) => {
  const inSequence = openMutex();
  const storedFence = async (): Promise<number> =>
    (await documents.get<{ readonly fence: number }>(state, 'fence'))?.body.fence ?? 0;
  let fence = await storedFence();
  let after: Position | null = null;
  const apply = async (writes: readonly StateWrite[], under: number): Promise<void> => {
    after ??= await documents.checkpoint(state);
    // The collection does not follow the log: its own write count stands in for the position.
    const position = (BigInt(`0x${after}`) + 1n).toString(16).padStart(16, '0') as Position;
    try {
      await documents.apply(state, writes, { position, fence: under, after });
      after = position;
    } catch (error) {
      after = null;
      throw error;
    }
  };
  const isReplaced = async (): Promise<boolean> => (await storedFence()) > fence;
  return {
    fence: () => fence,
    isReplaced,
    raiseFence: () =>
      inSequence(async (): Promise<number> => {
        if (await isReplaced()) throw new Fault('conflict', 'another projector has taken over');
        const raised = fence + 1;
        await apply([stateDocument('fence', 'fence', null, { fence: raised })], raised);
        fence = raised;
        return raised;
      }),
    write: (writes: readonly StateWrite[]) => inSequence(() => apply(writes, fence)),
  };
};
