import { parseCheckpoint } from '../../kernel/history/checkpoint.js';
import type { ExportQuery, HistoryExportNeeds } from '../../query-api/history-export/routes.js';
import { cloudEvent } from '../history/cloud-events.js';
import { beginExport, exported, type ExportNeeds } from '../history/exports.js';
import { ocsfEvent } from '../history/ocsf.js';
import { newestSealOf } from '../history/seals.js';

/** What takes a history elsewhere, from the log: `query-api` sees no event. */
export const historyExports = (
  needs: ExportNeeds,
): Pick<HistoryExportNeeds, 'begin' | 'pages' | 'collected' | 'originOf'> => ({
  begin: ({ organization, project, resource, from, to }: ExportQuery) =>
    beginExport(needs, {
      chain: organization,
      projectId: project,
      resource,
      from: from && { instant: from },
      to: to && { instant: to },
    }),
  pages: (cursor) => exported(needs, cursor, { at: cursor.at, last: cursor.last }, true),
  collected: (entry, format, origin) => (format === 'ocsf' ? ocsfEvent : cloudEvent)(entry, origin),
  originOf: async (organization) => {
    const seal = await newestSealOf(needs.log, organization);
    const origin = seal === null ? null : parseCheckpoint(seal.note)?.origin;
    return origin ?? `assay/${organization}`;
  },
});
