import {
  base64,
  checkpointText,
  noteText,
  chainOrigin,
  type SealingKey,
} from '../chain/checkpoint.js';
import type { ChainHead, ChainName } from '../chain/entries.js';
import type { Clock, EventLog, Files, Ids } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { serviceAuthorship } from '../../command-api/work/service-authorship.js';
import {
  organizationOf,
  derivedInstallationName,
  publishKeys,
  recordSeal as sealing,
  sealedDay,
  sealStream,
  type ChainSeal,
} from './seal-streams.js';

export type SigningNeeds = {
  readonly log: EventLog;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'derive' | 'next'>;
  readonly files: Files;
  /** Each signs every note; the first is the one that auditors pin. */
  readonly keys: readonly SealingKey[];
  /** Name of the installation in origins; null: a derived name. */
  readonly installation: string | null;
  /** Path of the note as a file; null: in the log only. */
  readonly noteFile: ((chain: ChainName, size: number) => string) | null;
};

/**
 * Signs a root that was proven to continue the seal before, and appends the seal; false when
 * another worker did meanwhile.
 */
export const signAndRecordSeal = async (
  needs: SigningNeeds,
  { chain, size, hash, position }: ChainHead,
  before: ChainSeal | null,
  root: Uint8Array,
): Promise<boolean> => {
  const { log, clock, ids, keys } = needs;
  const own = serviceAuthorship(needs, null, 'seals');
  const installation =
    needs.installation ??
    (await derivedInstallationName(log, () => ids.next('InstallationId'), own));
  await publishKeys(log, installation, keys, own);
  const origin = chainOrigin(installation, chain);
  const text = checkpointText({ origin, size, root });
  const sealed = {
    chain,
    size,
    head_hash: hash,
    position,
    root: base64(root),
    previous_size: before?.size ?? 0,
    note: noteText({ text, signatures: keys.map((key) => key.sign(origin, text)) }),
  };
  const author = serviceAuthorship(needs, organizationOf(chain), `seal-${chain}-${size}`);
  const name = sealStream(chain, clock.now(), before);
  const { events } = await transact(log, name, sealedDay, sealing(sealed), author);
  return events.length > 0;
};

/** Writes the note as a file, once; after a kill before it the next worker does. */
export const writeSealNote = async (
  { files, noteFile }: Pick<SigningNeeds, 'files' | 'noteFile'>,
  { chain, size, note }: ChainSeal,
): Promise<void> => {
  const path = noteFile?.(chain, size);
  if (path === undefined || (await files.read(path)) !== null) return;
  await files.write(path, new TextEncoder().encode(note));
};
