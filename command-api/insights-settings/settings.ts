import {
  defaultInsightsSettings,
  insightsSettingsTag,
  type InsightsSettings,
} from '../../contract/insights-settings.js';
import type { InsightsSettingsEvent } from '../../events/insights-settings.js';
import { reject, type Decide, type Fold } from '../../kernel/decision.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { Instant, ProjectId, RunId } from '../../kernel/schema-types.js';

export const insightsSettings: Fold<InsightsSettings, InsightsSettingsEvent> = {
  initial: defaultInsightsSettings,
  evolve: ({ changes }, { data }) => ({
    enabled: data.enabled,
    startTime: data.start_time,
    changes: changes + 1,
  }),
};

type InsightsSwitch = {
  readonly projectId: ProjectId;
  readonly runId: RunId;
  /** Undefined: unchanged. */
  readonly enabled: boolean | undefined;
  readonly at: Instant;
  readonly ifMatch: IfMatch | null;
};

/** Changes the switch; switching off keeps the start time (contract 4.10, rule 2). */
export const change =
  ({
    projectId,
    runId,
    enabled,
    at,
    ifMatch,
  }: InsightsSwitch): Decide<InsightsSettings, InsightsSettingsEvent> =>
  (settings) => {
    if (!isIfMatchMet(ifMatch, insightsSettingsTag(settings))) {
      return reject('precondition-failed', 'The insights settings were changed meanwhile');
    }
    if (enabled === undefined || enabled === settings.enabled) return [];
    const startTime = enabled ? at : settings.startTime;
    return [
      {
        type: 'InsightsSettingsChanged',
        data: { project_id: projectId, run_id: runId, enabled, start_time: startTime },
      },
    ];
  };
