import type { InsightsSettings } from '../contract/insights-settings.js';
import { insightsSettingsEvents, type InsightsSettingsEvent } from '../events/insights-settings.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Projection } from './projection.js';

/**
 * Insights settings by run, in the scope of its project; a run with default settings has no
 * document.
 */
export const insightsSettings: Projection<typeof insightsSettingsEvents, InsightsSettings> = {
  collection: { name: 'insights_settings', version: 1, fields: {} },
  deletedWith: { scope: 'project', key: 'run' },
  events: insightsSettingsEvents,
  keys: ({ data }) => [data.run_id],
  evolve: (_document, { data, revision }: StoredEvent<InsightsSettingsEvent>) => ({
    key: data.run_id,
    scope: data.project_id,
    fields: {},
    body: { enabled: data.enabled, startTime: data.start_time, changes: revision + 1 },
  }),
};
