import * as fc from 'fast-check';
import { sha256 } from '../../../engines/node/digest.js';
import { openDocuments } from '../../../engines/sqlite/documents.js';
import type { Documents } from '../../../kernel/documents.js';
import { toHex } from '../../../kernel/hex.js';
import {
  logStart,
  streamNameOf,
  type Envelope,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../../kernel/ports.js';
import type { Instant, OrganizationId } from '../../../kernel/schema-types.js';
import { historyReadModel } from '../../../ledger/model.js';
import { uuid } from '../../support/record-generators.js';
import { temporaryFolder } from '../../support/folder.js';

/** An event before it has a position in the log. */
export type UnplacedEvent = {
  readonly stream: StreamName;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly organization: string | null | undefined;
  readonly actor: StoredEvent['metadata']['actor'];
  readonly about?: StoredEvent['metadata']['about'];
  /** Seconds by which its clock is off. */
  readonly late?: number;
};

export const organizations = [uuid(9, 1), uuid(9, 2), uuid(9, 3)];
export const user = (number: number) =>
  ({ type: 'user', id: uuid(5, number), role: 'admin' }) as const;
export const service = { type: 'service', id: 'assay', role: 'system' } as const;

const traceIn = (
  project: string,
  trace: string,
  type: string,
  organization: number,
): UnplacedEvent => ({
  stream: streamNameOf('trace', project, trace),
  type,
  data: { project_id: project, trace_id: trace },
  organization: organizations[organization] ?? null,
  actor: { type: 'api_key', id: uuid(6, organization), role: 'owner' },
});

/** Events of a few organisations, some of them from before events named theirs. */
const happened: fc.Arbitrary<UnplacedEvent> = fc
  .record({
    what: fc.nat(6),
    organization: fc.nat(2),
    of: fc.nat(3),
    late: fc.integer({ min: -90, max: 90 }),
  })
  .map(({ what, organization, of, late }) => {
    const id = uuid(2, organization * 10 + of);
    const project = uuid(1, organization);
    const whose = organizations[organization] ?? null;
    const by = { organization: whose, actor: user(organization * 10 + of), late };
    switch (what) {
      case 0:
        return {
          stream: streamNameOf('reservation', 'email', id),
          type: 'NameClaimed',
          data: { holder: id },
          ...by,
        };
      case 1:
        return {
          stream: streamNameOf('run', id),
          type: 'LogStreamRenamed',
          data: { run_id: id, project_id: project },
          about: { project_id: project },
          ...by,
        };
      case 2:
        return {
          stream: streamNameOf('user', id),
          type: 'UserDetailsChanged',
          data: { user_id: id },
          ...by,
          organization: undefined,
          actor: service,
        };
      case 3:
        return {
          stream: streamNameOf('api-key', id),
          type: 'ApiKeyCreated',
          data: { organization_id: whose, project_id: of === 0 ? project : null },
          ...by,
        };
      case 4:
        return {
          stream: streamNameOf('dataset', id),
          type: 'DatasetRenamed',
          data: { project_id: project },
          ...by,
        };
      default:
        return {
          ...traceIn(project, id, what === 5 ? 'TraceLogged' : 'ScoresRecorded', organization),
          late,
        };
    }
  });

/** Events in log order, and which of them are erased by now: of traces and runs, whole streams. */
export type History = {
  readonly events: readonly StoredEvent[];
  readonly erased: readonly StreamName[];
};

export const histories = (size: number): fc.Arbitrary<History> =>
  fc
    .record({
      list: fc.array(happened, { minLength: 1, maxLength: size, size: 'max' }),
      erased: fc.array(fc.nat(1_000), { maxLength: 6 }),
    })
    .map(({ list, erased }) => {
      const events = recordedAll(list);
      const erasable = events
        .map(({ stream: name }) => name)
        .filter((name) => name.startsWith('trace-') || name.startsWith('run-'));
      return {
        events,
        erased: erased.flatMap((number) => erasable[number % Math.max(1, erasable.length)] ?? []),
      };
    });

export const recordedAll = (list: readonly UnplacedEvent[]): readonly StoredEvent[] => {
  const revisions = new Map<StreamName, number>();
  return list.map((one, at) => {
    const revision = (revisions.get(one.stream) ?? -1) + 1;
    revisions.set(one.stream, revision);
    const { type, data, organization, actor, about, late = 0 } = one;
    return {
      id: uuid(7, at),
      stream: one.stream,
      revision,
      position: positionAt(at),
      type,
      data,
      metadata: {
        actor,
        request_id: `request ${Math.floor(at / 3)}`,
        correlation_id: `request ${Math.floor(at / 5)}`,
        causation_id: at % 4 === 0 ? uuid(7, at - 1) : null,
        at: new Date(Date.UTC(2026, 2, 1) + (at + late) * 1_000)
          .toISOString()
          .replace('Z', '000Z') as Instant,
        ...(organization !== undefined && {
          organization_id: organization as OrganizationId | null,
        }),
        ...(about !== undefined && { about }),
        schema: 1,
      },
      digest: toHex(sha256(`${at} ${JSON.stringify(data)}`)),
    };
  });
};

export const positionAt = (at: number): Position =>
  ((at + 1) * 7).toString(16).padStart(logStart.length, '0') as Position;

export const envelopeOf = ({ data: _data, ...envelope }: StoredEvent): Envelope => envelope;

/** Folds the history batch by batch, cut after so many events each, over and over. */
export const foldInBatches = async (
  documents: Documents,
  { events, erased }: History,
  cuts: readonly number[] = [500],
): Promise<void> => {
  const model = historyReadModel(documents, sha256);
  let position = logStart;
  for (let at = 0, cut = 0; at < events.length; cut += 1) {
    const batch = events.slice(at, at + (cuts[cut % cuts.length] ?? 1));
    const gone = (one: StoredEvent): boolean => erased.includes(one.stream);
    const folded = await model.fold(
      batch.filter((one) => !gone(one)),
      null,
      batch.filter(gone).map(envelopeOf),
    );
    const through = batch.at(-1)?.position ?? position;
    await folded.apply({ position: through, fence: 1, after: position });
    position = through;
    at += batch.length;
  }
};

/** Documents in a folder of their own while `work` runs. */
export const withDocuments = async <T>(work: (documents: Documents) => Promise<T>): Promise<T> => {
  const { dir, remove } = await temporaryFolder();
  const documents = await openDocuments({ dir });
  try {
    return await work(documents);
  } finally {
    await documents.close();
    await remove();
  }
};
