import { change, insightsSettings } from '../../command-api/insights-settings/settings.js';
import type { InsightsSettingsEvent } from '../../events/insights-settings.js';
import type { IfMatch } from '../../kernel/if-match.js';
import type { Instant, RunId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { projectId } from '../support/access-events.js';

const given = deciderSpec(insightsSettings);
const runId = 'eeeeeeee-0000-4000-8000-000000000001' as RunId;
const turned = (enabled: boolean | undefined, at: number, ifMatch: IfMatch | null = null) =>
  change({ projectId: projectId(1), runId, enabled, at: instantAfter(at), ifMatch });
const changed = (enabled: boolean, start_time: Instant | null): InsightsSettingsEvent => ({
  type: 'InsightsSettingsChanged',
  data: { project_id: projectId(1), run_id: runId, enabled, start_time },
});
const on = (at: number) => changed(true, instantAfter(at));

describe('deciding on insights settings', () => {
  it('notes when it was switched on, and keeps that when it is switched off', () => {
    given().when(turned(true, 1)).then(on(1));
    given(on(1))
      .when(turned(false, 2))
      .then(changed(false, instantAfter(1)));
    given(on(1), changed(false, instantAfter(1)))
      .when(turned(true, 3))
      .then(on(3));
  });

  it('leaves what is already so, and what the request does not name', () => {
    given().when(turned(false, 1)).thenNothing();
    given(on(1)).when(turned(true, 2)).thenNothing();
    given(on(1)).when(turned(undefined, 2)).thenNothing();
  });

  it('refuses when the settings are not those that the caller saw', () => {
    given(on(1))
      .when(turned(false, 2, ['0']))
      .thenRejected('precondition-failed');
    given(on(1))
      .when(turned(true, 2, []))
      .thenRejected('precondition-failed');
    given(on(1))
      .when(turned(true, 2, ['0', '1']))
      .thenNothing();
    given()
      .when(turned(false, 2, '*'))
      .thenNothing();
  });
});
