import {
  changeInsightsSettings,
  insightsSettingsAnswer,
  insightsSettingsTag,
} from '../../contract/insights-settings.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import { laterPosition, type EventLog } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { liveRunAndPosition } from '../facts/runs.js';
import { insightsSettingsStream } from '../facts/insights-settings.js';
import { change, insightsSettings } from './settings.js';

type InsightsSettingsNeeds = { readonly log: EventLog };

/** Write routes of insights settings (contract 4.10). */
export const insightsSettingsWrites = ({ log }: InsightsSettingsNeeds): readonly Route[] => [
  writeRoute(changeInsightsSettings, async ({ body, params, ifMatch, cause }) => {
    const { project_id: projectId, run_id: runId } = params;
    const known = await liveRunAndPosition(log, projectId, runId);
    if (known === null) throw new Fault('not-found', 'Run not found');
    const { enabled } = body.insights.logstream ?? {};
    const stream = insightsSettingsStream(runId);
    const decide = change({ projectId, runId, enabled, at: cause.at, ifMatch });
    const { state, position } = await transact(log, stream, insightsSettings, decide, cause);
    return {
      position: laterPosition(position, known.position),
      body: insightsSettingsAnswer(runId, state),
      etag: insightsSettingsTag(state),
    };
  }),
];
