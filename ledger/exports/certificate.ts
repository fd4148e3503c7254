import { deletionStream } from '../../command-api/facts/deletions.js';
import { newestSeal, type ChainSeal } from '../seals/seal-streams.js';
import type { DatasetEvent } from '../../events/datasets.js';
import type { DeletionEvent } from '../../events/deletions.js';
import type { ErasureEvent } from '../../events/erasures.js';
import { Fault } from '../../kernel/fault.js';
import { erasureEventTypes } from '../chain/bundle.js';
import { base64 } from '../chain/checkpoint.js';
import type { ChainEntry, ChainName, ChainQuery } from '../chain/entries.js';
import { erasedStreamsIn } from '../chain/erased-streams.js';
import { inclusionRanges } from '../chain/merkle-tree.js';
import {
  streamNameOf,
  type SpaceReclaim,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { openSpanHashes } from '../reads/subtrees.js';
import { certificateEntry } from './cloud-events.js';
import type { ExportNeeds } from './bundle-pages.js';
import { attestedStatement, provenStatement } from './certificate-statements.js';

const certificateKinds = ['deletion', 'job', 'run', 'project', 'dataset'] as const;
export type CertificateSubject = {
  readonly kind: (typeof certificateKinds)[number];
  readonly id: string;
};

type CertificateNeeds = ExportNeeds & {
  /** Number of records of these streams that can still be found; null: not counted. */
  readonly recordsLeft: (streams: readonly StreamName[]) => Promise<number | null>;
  /** Backup retention in days; null: not declared by the operator. */
  readonly backupDays: number | null;
  /** Signs with the sealing key: a JWS (ES256) that contains its payload. */
  readonly signed: (payload: JsonObject) => Promise<string>;
};

/** Lines hashed together. */
const partLines = 10_000;
const entriesAtOnce = 256;

/**
 * Certificate of an erasure: its entries a line each, with inclusion proofs in the sealed tree,
 * then the signed certificate over them. `chain`: the history it must belong to. Throws Fault
 * `not-found` for a subject that was not deleted there, `conflict` until it is erased and sealed.
 */
export async function* certificateLines(
  needs: CertificateNeeds,
  of: CertificateSubject,
  chain: ChainName | null = null,
): AsyncGenerator<JsonObject> {
  const scope = await erasureScopeOf(needs, of, chain);
  const seal = await newestSeal(needs, scope.chain);
  if (seal === null || seal.position < scope.closed.position) {
    throw notYetFault(of, 'sealed: assay audit seal');
  }
  const parts = openLineHash(needs);
  const counts = { asked: 0, closed: 0, erased: 0 };
  for await (const entry of entriesOf(needs, scope, of)) {
    const role = roleOf(scope, entry);
    if (role === null) continue;
    if (entry.seq > seal.size) break;
    const line = { role, ...(await proofLine(needs, scope.chain, entry, seal)) };
    counts[role] += 1;
    parts.add(line);
    yield line;
  }
  const certificate = {
    format: 'assay-certificate-1',
    of: { ...of },
    organization_id: scope.chain,
    issued_at: needs.clock.now(),
    checkpoint: seal.note,
    counts,
    parts: parts.end(),
    found: await remainingContent(needs, scope),
    backups: backupExpiryOf(needs, scope),
    proven: provenStatement,
    attested: attestedStatement,
  };
  yield { certificate, jws: await needs.signed(certificate) };
}

type ErasureFact = StoredEvent<ErasureEvent | DeletionEvent | DatasetEvent>;
type ErasureScope = {
  readonly chain: ChainName;
  /** The last event of the erasure. */
  readonly closed: ErasureFact;
  /** Streams in which it was requested and closed. */
  readonly facts: ReadonlySet<string>;
  /** Erased streams. */
  readonly streams: readonly StreamName[];
  readonly gone: ReadonlySet<string>;
  readonly projects: readonly string[];
};

const erasureScopeOf = async (
  needs: CertificateNeeds,
  of: CertificateSubject,
  chain: ChainName | null,
): Promise<ErasureScope> => {
  const factNames = await factStreams(needs, of, chain);
  const events: ErasureFact[] = [];
  for (const name of factNames) events.push(...((await needs.log.read(name)) as ErasureFact[]));
  const whose = events.find(({ metadata }) => typeof metadata.organization_id === 'string');
  const organization = whose?.metadata.organization_id ?? null;
  if (organization === null || (chain !== null && organization !== chain)) {
    throw new Fault('not-found', `the ${of.kind} ${of.id} was not deleted here`);
  }
  const closed = events.reduce<ErasureFact | null>(
    (last, event) => (last === null || event.position > last.position ? event : last),
    null,
  );
  if (closed === null || !isClosed(of, events)) throw notYetFault(of, 'erased');
  const names = events.flatMap(({ type, data }) => erasedStreamsIn(type, data));
  const streams = [...new Set(names)].map((name) => name as StreamName);
  const projects = events.flatMap(({ data }) => ('project_id' in data ? [data.project_id] : []));
  return {
    chain: organization,
    closed,
    facts: new Set(factNames),
    streams,
    gone: new Set(streams),
    projects: [...new Set(projects)].filter((id) => id !== null),
  };
};

/** Needed because a job completes before all of its deletions do. */
const isClosed = ({ kind }: CertificateSubject, events: readonly ErasureFact[]): boolean => {
  const count = (wanted: string): number => events.filter(({ type }) => type === wanted).length;
  return count(closing[kind]) > 0 && count('RecordsDeleted') <= count('ErasureCompleted');
};

/** Closing event of each kind. */
const closing: Readonly<Record<CertificateSubject['kind'], string>> = {
  deletion: 'ErasureCompleted',
  job: 'OrgJobCompleted',
  run: 'ErasureCompleted',
  project: 'ErasureCompleted',
  dataset: 'DatasetErased',
};

const factStreams = async (
  { chains, log }: CertificateNeeds,
  { kind, id }: CertificateSubject,
  chain: ChainName | null,
): Promise<readonly StreamName[]> => {
  const erasure = streamNameOf('erasure', id);
  if (kind === 'deletion') return [deletionStream(id), erasure];
  if (kind === 'dataset') return [streamNameOf('dataset', id)];
  if (kind !== 'job') return [erasure];
  const job = streamNameOf('org-job', id);
  const [request] = await log.read(job, { limit: 1 });
  const whose = request?.metadata.organization_id ?? null;
  const steps = new Set<StreamName>([job]);
  if (whose === null || (chain !== null && chain !== whose)) return [];
  const query = { resourceTypes: ['org_job'], resourceIds: [id] };
  for await (const entry of entryPages(chains, whose, query)) {
    steps.add(entry.stream as StreamName);
    const [, deletion] = /^deletion-(.+)$/.exec(entry.stream) ?? [];
    if (deletion !== undefined) steps.add(streamNameOf('erasure', deletion));
  }
  return [...steps];
};

type Filter = Pick<ChainQuery, 'projects' | 'resourceTypes' | 'resourceIds'>;

const entriesOf = (
  { chains }: CertificateNeeds,
  { chain, projects }: ErasureScope,
  { kind, id }: CertificateSubject,
): AsyncGenerator<ChainEntry> => {
  if (kind === 'dataset') {
    return entryPages(chains, chain, { resourceTypes: ['dataset'], resourceIds: [id] });
  }
  return entryPages(chains, chain, kind === 'job' ? {} : { projects });
};

async function* entryPages(
  chains: CertificateNeeds['chains'],
  chain: ChainName,
  filter: Filter,
): AsyncGenerator<ChainEntry> {
  for (let at: number | null = 1; at !== null;) {
    const query = { at, ascending: true, limit: entriesAtOnce, technical: true, ...filter };
    const page = await chains.page(chain, query);
    yield* page.entries;
    at = page.next;
  }
}

/** Null for unrelated entries. */
const roleOf = (
  { facts, gone }: ErasureScope,
  { stream: name, type }: ChainEntry,
): 'asked' | 'closed' | 'erased' | null => {
  if (gone.has(name)) return 'erased';
  if (!facts.has(name)) return null;
  if (askingTypes.has(type)) return 'asked';
  return closingTypes.has(type) ? 'closed' : null;
};
const askingTypes = new Set([
  'RecordsDeleted',
  'OrgJobRequested',
  'DatasetDeleted',
  'ErasureBegun',
]);
const closingTypes = new Set([...erasureEventTypes, ...Object.values(closing)]);

const proofLine = async (
  needs: CertificateNeeds,
  chain: ChainName,
  entry: ChainEntry,
  { size }: ChainSeal,
): Promise<JsonObject> => {
  const index = entry.seq - 1;
  const spans = inclusionRanges(index, { from: 0, to: size });
  const hashes = await Promise.all(spans.map(openSpanHashes(needs, chain)));
  return { entry: certificateEntry(entry), proof: { index, size, hashes: hashes.map(base64) } };
};

const openLineHash = ({ sha256 }: CertificateNeeds) => {
  const parts: { readonly lines: number; readonly sha256: string }[] = [];
  let lines: string[] = [];
  const close = (): void => {
    const digest = Buffer.from(sha256(...lines)).toString('hex');
    if (lines.length > 0) parts.push({ lines: lines.length, sha256: digest });
    lines = [];
  };
  return {
    add: (line: JsonObject): void => {
      lines.push(`${JSON.stringify(line)}\n`);
      if (lines.length === partLines) close();
    },
    end: (): readonly JsonObject[] => {
      close();
      return parts;
    },
  };
};

/** Counts the content that is still there. */
const remainingContent = async (
  { log, recordsLeft }: CertificateNeeds,
  { streams, closed }: ErasureScope,
): Promise<JsonObject> => {
  let left = 0;
  for (const name of streams) left += (await log.last(name)) === null ? 0 : 1;
  return {
    streams: streams.length,
    streams_left: left,
    records_left: await recordsLeft(streams),
    ...diskReclaimState(await log.spaceReclaim(), closed.metadata.at),
  };
};

/** States whether the log's disk space of content that was erased by `closedAt` is reclaimed. */
const diskReclaimState = (given: SpaceReclaim, closedAt: string): JsonObject => {
  if (given.when !== 'later') {
    const isDone = given.when === 'at-once';
    return { disk: isDone ? 'given_back' : 'unknown', disk_at: isDone ? closedAt : null };
  }
  const { since } = given;
  const isDone = since !== null && Date.parse(since) > Date.parse(closedAt);
  return { disk: isDone ? 'given_back' : 'not_yet', disk_at: since };
};

const dayMs = 86_400_000;

/** Counts from the closing event, as a backup may have been made just before it. */
const backupExpiryOf = (
  { backupDays: days }: CertificateNeeds,
  { closed }: ErasureScope,
): JsonObject | null => {
  if (days === null) return null;
  const expired = new Date(Date.parse(closed.metadata.at) + days * dayMs);
  return { days, expired_at: expired.toISOString() };
};

const notYetFault = ({ kind, id }: CertificateSubject, what: string): Fault =>
  new Fault('conflict', `the ${kind} ${id} is not yet ${what}`);
