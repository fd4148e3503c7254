import { newestSeal } from '../seals/seal-streams.js';
import type { CertificateQuery } from '../../contract/history-export.js';
import { parseCheckpoint } from '../chain/checkpoint.js';
import type { ExportQuery, HistoryExportNeeds } from '../reads/export-routes.js';
import type { Clock } from '../../kernel/ports.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { certificateLines, type CertificateSubject } from './certificate.js';
import { cloudEvent } from './cloud-events.js';
import { beginExport, bundlePages, type ExportNeeds } from './bundle-pages.js';
import { ocsfEvent } from './ocsf.js';
import type { SealKey } from '../signing-key.js';

type Needs = ExportNeeds & {
  readonly records: Pick<RecordQueries, 'findGroup'>;
  readonly clock: Clock;
  readonly backupDays: number | null;
  readonly sealKey: () => Promise<SealKey>;
};

const certificateSubjectOf = (query: CertificateQuery): CertificateSubject => {
  const [[name, id] = ['', '']] = Object.entries(query);
  return { kind: name.slice(0, -'_id'.length) as CertificateSubject['kind'], id };
};

const recordStream = /^(trace|session)-([0-9a-f-]{36})-(.+)$/;

/** Number of records that can still be found. */
const countRemainingRecords = async (
  records: Needs['records'],
  streams: readonly string[],
): Promise<number> => {
  let left = 0;
  for (const name of streams) {
    const [, population, project = '', id = ''] = recordStream.exec(name) ?? [];
    if (population !== 'trace' && population !== 'session') continue;
    left += (await records.findGroup(project, population, id)) === null ? 0 : 1;
  }
  return left;
};

/** Exports of history from the log, since `query-api` sees no event. */
export const historyExports = (
  needs: Needs,
): Omit<HistoryExportNeeds, 'authorizer' | 'chains' | 'clock' | 'changesOf'> => ({
  certificateLines: (query, organization) =>
    certificateLines(
      {
        ...needs,
        recordsLeft: (streams) => countRemainingRecords(needs.records, streams),
        signed: async (payload) => (await needs.sealKey()).jws('assay-certificate+jwt', payload),
      },
      certificateSubjectOf(query),
      organization,
    ),
  begin: ({ organization, project, resource, from, to }: ExportQuery) =>
    beginExport(needs, {
      chain: organization,
      projectId: project,
      resource,
      from,
      to,
    }),
  pages: (cursor) => bundlePages(needs, cursor, { at: cursor.at, last: cursor.last }, true),
  toAuditEvent: (followed, format, origin) =>
    (format === 'ocsf' ? ocsfEvent : cloudEvent)(followed, origin),
  originOf: async (organization) => {
    const seal = await newestSeal(needs, organization);
    const origin = seal === null ? null : parseCheckpoint(seal.note)?.origin;
    return origin ?? `assay/${organization}`;
  },
});
