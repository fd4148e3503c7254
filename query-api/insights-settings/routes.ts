import {
  getInsightsSettings,
  insightsSettingsAnswer,
  insightsSettingsTag,
  defaultInsightsSettings,
  type InsightsSettings,
} from '../../contract/insights-settings.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import { insightsSettings } from '../../projections/insights-settings.js';
import { runCollections, runKinds, type RunInProject } from '../run-selection.js';

type Needs = { readonly documents: Documents; readonly runInProject: RunInProject };

/** Read of insights settings (sibling of contract 4.10). */
export const insightsSettingsReads = ({ documents, runInProject }: Needs): readonly Route[] => {
  const { collection } = insightsSettings;
  return [
    readRoute(getInsightsSettings, [collection, ...runCollections], async ({ params }) => {
      const { project_id: project, run_id: id } = params;
      const found = await Promise.all(runKinds.map((kind) => runInProject(project, { kind, id })));
      if (!found.includes(true)) throw new Fault('not-found', 'Run not found');
      const document = await documents.get<InsightsSettings>(collection, id);
      const settings = document?.scope === project ? document.body : defaultInsightsSettings;
      return {
        body: insightsSettingsAnswer(id, settings),
        etag: insightsSettingsTag(settings),
      };
    }),
  ];
};
