import { openDocuments } from '../../engines/sqlite/documents.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { openBus } from '../../engines/memory/bus.js';
import { sha256 } from '../../engines/node/digest.js';
import { randomIds } from '../../engines/node/ids.js';
import { sealingKey } from '../../engines/node/seal-keys.js';
import { decode } from '../../events/codec.js';
import { base64, checkpointText, noteOf, originOf } from '../../kernel/history/checkpoint.js';
import type { ChainName } from '../../kernel/history/entries.js';
import { rootOf } from '../../kernel/history/tree.js';
import {
  stream,
  type Actor,
  type EventLog,
  type Metadata,
  type NewEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/shapes.js';
import { openChains } from '../../projections/history/chains.js';
import { historyCollection } from '../../projections/history/collection.js';
import { historySource } from '../../projections/history/model.js';
import { metadata } from './new-events.js';

export const sealedBy = sealingKey({ seed: Buffer.alloc(32, 7) });
export const installation = 'assay.example.org';

export type Told = {
  readonly stream: StreamName;
  readonly type: string;
  readonly data: unknown;
  readonly organization: string | null;
  /** The service itself, where nobody is named. */
  readonly actor?: Actor;
};

/**
 * A data folder with a log, the history folded from it, and seals signed with a key of the tests:
 * what the commands of an auditor read.
 */
export const openSealedLog = async (dir: string) => {
  const bus = openBus(dir);
  const log: EventLog = await openEventLog({ dir, bus, decode });
  const documents = await openDocuments({ dir });
  const chains = openChains(documents, sha256);
  const source = historySource(documents, sha256);
  const revisions = new Map<StreamName, number>();

  const append = async (told: readonly Told[]): Promise<void> => {
    await log.append(
      told.map(({ stream: name, type, data, organization, actor = metadata.actor }) => {
        const expected = revisions.get(name) ?? 'none';
        revisions.set(name, expected === 'none' ? 0 : expected + 1);
        const organization_id = organization as OrganizationId;
        const of: Metadata = { ...metadata, actor, organization_id };
        const event: NewEvent = { id: randomIds.next('EventId'), type, data, metadata: of };
        return { stream: name, expected, events: [event] };
      }),
    );
  };
  const fold = async (): Promise<void> => {
    for (let after = await documents.checkpoint(historyCollection); ;) {
      const page = await log.page(after, 500);
      if (page.through === after) return;
      const folded = await source.fold(page.events, null, page.erased);
      await folded.apply({ position: page.through, fence: 1, after });
      after = page.through;
    }
  };
  /** Signs the chain as it is folded. */
  const seal = async (chain: ChainName): Promise<number> => {
    const head = await chains.head(chain);
    if (head === null) throw new Error(`${chain} is empty`);
    const root = rootOf(sha256, head.range);
    const origin = originOf(installation, chain);
    const text = checkpointText({ origin, size: head.size, root });
    const note = noteOf({ text, signatures: [sealedBy.signed(origin, text)] });
    const { size, position, hash: head_hash } = head;
    const sealed = { chain, size, head_hash, position, root: base64(root), previous_size: 0, note };
    const organization = chain === 'system' ? null : chain;
    const name = stream('seals', chain, metadata.at.slice(0, 10));
    await append([{ stream: name, type: 'HistorySealed', data: sealed, organization }]);
    return size;
  };
  const { kid, jwk, vkey } = sealedBy;
  const keys = { kid, jwk, vkey: vkey(installation) };
  return {
    log,
    chains,
    append,
    fold,
    seal,
    publishKey: () =>
      append([
        {
          stream: stream('seals', 'system', 'keys'),
          type: 'SealingKeyPublished',
          data: keys,
          organization: null,
        },
      ]),
    close: async () => {
      await documents.close();
      await log.close();
      await bus.close();
    },
  };
};
export type SealedLog = Awaited<ReturnType<typeof openSealedLog>>;
