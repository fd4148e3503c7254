import { newestSeal } from '../../command-api/seals/sealed.js';
import type { CertificateAsking } from '../../contract/history-export.js';
import { parseCheckpoint } from '../../kernel/history/checkpoint.js';
import type { ExportQuery, HistoryExportNeeds } from '../../query-api/history-export/routes.js';
import type { Clock } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records/records.js';
import { certificateLines, type CertificateOf } from '../history/certificate.js';
import { cloudEvent } from '../history/cloud-events.js';
import { beginExport, exported, type ExportNeeds } from '../history/exports.js';
import { ocsfEvent } from '../history/ocsf.js';
import type { SealKey } from '../seal-key.js';

type Needs = ExportNeeds & {
  readonly records: Pick<Records, 'locate'>;
  readonly clock: Clock;
  readonly backupDays: number | null;
  readonly sealKey: () => Promise<SealKey>;
};

const certificateOf = (query: CertificateAsking): CertificateOf => {
  const [[name, id] = ['', '']] = Object.entries(query);
  return { kind: name.slice(0, -'_id'.length) as CertificateOf['kind'], id };
};

const recordStream = /^(trace|session)-([0-9a-f-]{36})-(.+)$/;

/** How many of the records can still be found. */
const recordsLeft = async (
  records: Needs['records'],
  streams: readonly string[],
): Promise<number> => {
  let left = 0;
  for (const name of streams) {
    const [, population, project = '', id = ''] = recordStream.exec(name) ?? [];
    if (population !== 'trace' && population !== 'session') continue;
    left += (await records.locate(project, population, id)) === null ? 0 : 1;
  }
  return left;
};

/** What takes a history elsewhere, from the log: `query-api` sees no event. */
export const historyExports = (
  needs: Needs,
): Omit<HistoryExportNeeds, 'gate' | 'chains' | 'clock' | 'told'> => ({
  certified: (query, organization) =>
    certificateLines(
      {
        ...needs,
        recordsLeft: (streams) => recordsLeft(needs.records, streams),
        signed: async (payload) => (await needs.sealKey()).jws('assay-certificate+jwt', payload),
      },
      certificateOf(query),
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
  pages: (cursor) => exported(needs, cursor, { at: cursor.at, last: cursor.last }, true),
  collected: (followed, format, origin) =>
    (format === 'ocsf' ? ocsfEvent : cloudEvent)(followed, origin),
  originOf: async (organization) => {
    const seal = await newestSeal(needs, organization);
    const origin = seal === null ? null : parseCheckpoint(seal.note)?.origin;
    return origin ?? `assay/${organization}`;
  },
});
