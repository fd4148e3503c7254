import { useAction } from '../client/queries.js';
import { Instant } from '../client/instants.js';
import { Checkbox } from '../parts/field.js';
import { BehindNotice, FaultNotice } from '../parts/notice.js';
import type { Permit } from '../parts/permits.js';
import { useInsights, type RunIds } from './questions.js';

/** Switches the insights of the run. */
export const Insights = (props: { readonly ids: RunIds; readonly permit: Permit<'editor'> }) => {
  const { ids, permit } = props;
  const insights = useInsights(ids);
  const tag = insights.value?.tag;
  const change = useAction(
    permit,
    (operations, enabled: boolean, options) =>
      operations.logStreams.changeInsightsSettings(
        {
          project_id: ids.projectId,
          run_id: ids.runId,
          insights: { logstream: { enabled } },
        },
        { ...options, ...(tag !== undefined && { ifMatch: tag }) },
      ),
    ['insights-settings'],
  );
  const settings = insights.value?.settings.insights.logstream;
  return (
    <section class="card stack" aria-labelledby="run-insights">
      <h2 id="run-insights">Insights</h2>
      <FaultNotice
        fault={insights.fault ?? change.fault}
        onRetry={() => {
          change.clearFault();
          insights.refetch();
        }}
      />
      <BehindNotice isBehind={insights.isBehind} />
      {settings !== undefined && (
        <div class="inline">
          <Checkbox
            label="Insights"
            isChecked={change.isRunning ? !settings.enabled : settings.enabled}
            permit={permit}
            isDisabled={change.isRunning}
            onChange={(isEnabled) => void change.run(isEnabled)}
          />
          <span class="note">
            {settings.start_time === null ? (
              'never switched on'
            ) : (
              <>
                {settings.enabled ? 'since ' : 'off; last switched on '}
                <Instant at={settings.start_time} />
              </>
            )}
          </span>
          <span class="note">{permit.reason}</span>
        </div>
      )}
    </section>
  );
};
