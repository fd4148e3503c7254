import type { Evidence } from '../../kernel/ports.js';
import type { ChainEntry } from './entries.js';

/**
 * Reason why a line lacks its data. `secret`: data of this type are for the operator only. `asked`:
 * the bundle was requested without data.
 */
type WithheldReason = 'secret' | 'asked';

/** Entry of a bundle, as its line has it (verifier/ALGORITHM.md). */
export type BundleLine = {
  readonly seq: number;
  readonly position: string;
  readonly at: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly schema_version: number;
  readonly stream: string;
  readonly revision: number;
  readonly actor: { readonly type: string; readonly id: string; readonly role: string };
  readonly resource: { readonly type: string; readonly id: string };
  readonly project_id: string | null;
  readonly organization_id: string | null;
  readonly request_id: string | null;
  readonly correlation_id: string | null;
  readonly causation_id: string | null;
  readonly erased: boolean;
  /** False: the digest covers the data alone, as before salts existed. Null: erased, unknown. */
  readonly salted: boolean | null;
  readonly withheld: WithheldReason | null;
  /** Hex; present with the data only. */
  readonly salt: string | null;
  /** The text as it is stored. */
  readonly data: string | null;
  readonly data_digest: string;
  readonly prev_hash: string;
  readonly hash: string;
};

/** Root of a perfect subtree without an entry in the bundle: leaves `from` to `to`. */
export type BundleNode = { readonly from: number; readonly to: number; readonly hash: string };

export const bundleFormat = 'assay-bundle-1';
/**
 * Scope of a bundle. `range`: some entries of a chain by `seq`. Only the first two have no nodes.
 */
export type BundleScope = 'organization' | 'system' | 'project' | 'resource' | 'range';

export type BundlePart = {
  readonly file: string;
  readonly first_seq: number;
  readonly last_seq: number;
  /** Hash of the file as stored. */
  readonly sha256: string;
};

export type BundleManifest = {
  readonly format: typeof bundleFormat;
  readonly origin: string;
  /** Null for the service's own chain. */
  readonly organization_id: string | null;
  readonly scope: BundleScope;
  readonly project_id: string | null;
  /** `trace:<id>`. */
  readonly resource: string | null;
  /** First and last `seq` that were read. */
  readonly from: number;
  readonly to: number;
  /** Tree size of the seal: entries beyond it are chained and not sealed yet. */
  readonly size: number;
  readonly entries: number;
  readonly erased: number;
  readonly withheld: number;
  readonly parts: readonly BundlePart[];
  readonly made_at: string;
  readonly by: string;
};

/** Header of a bundle: fixed when the export begins, however long it takes. */
export type BundleHeader = Omit<
  BundleManifest,
  'format' | 'entries' | 'erased' | 'withheld' | 'parts' | 'made_at' | 'by'
> & {
  /** The newest seal with all its signatures. */
  readonly checkpoint: string;
};

/** Event types that name erased streams: without their data an erasure has no reason. */
export const erasureEventTypes: ReadonlySet<string> = new Set([
  'StreamsErased',
  'RecordsErased',
  'DatasetRowsErased',
]);

export type DisclosurePolicy = {
  readonly isSecret: (type: string) => boolean;
  /** False: only the data of `erasureEventTypes`. */
  readonly data: boolean;
};

/** Bundle line of an entry, with its content unless erased or withheld. */
export const bundleLine = (
  entry: ChainEntry,
  evidence: Evidence,
  showing: DisclosurePolicy,
): BundleLine => {
  const isErased = evidence.data === null;
  const withheld = isErased ? null : withheldReason(entry.type, showing);
  const isShown = withheld === null;
  // One literal: an object spread from others takes kilobytes, and a bundle has millions.
  return {
    seq: entry.seq,
    position: entry.position,
    at: entry.at,
    event_id: entry.eventId,
    event_type: entry.type,
    schema_version: entry.schema,
    stream: entry.stream,
    revision: entry.revision,
    actor: { type: entry.actor.type, id: entry.actor.id, role: entry.actor.role },
    resource: { type: entry.resource.type, id: entry.resource.id },
    project_id: entry.projectId,
    organization_id: entry.organizationId,
    request_id: entry.requestId,
    correlation_id: entry.correlationId,
    causation_id: entry.causationId,
    erased: isErased,
    salted: isErased ? null : evidence.salt !== null,
    withheld,
    salt: isShown ? evidence.salt : null,
    data: isShown ? evidence.data : null,
    data_digest: entry.dataDigest,
    prev_hash: entry.prevHash,
    hash: entry.hash,
  };
};

const withheldReason = (
  type: string,
  { isSecret, data }: DisclosurePolicy,
): WithheldReason | null => {
  if (isSecret(type)) return 'secret';
  return data || erasureEventTypes.has(type) ? null : 'asked';
};
