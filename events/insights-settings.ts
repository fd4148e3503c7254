// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

export const insightsSettingsEvents = {
  /** Stream `insights-settings-<run>`, not the run's own, because the run does not change. */
  InsightsSettingsChanged: event('entity update', {
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    enabled: Type.Boolean(),
    /** Time of the last switch to on; null = never. */
    start_time: nullable(instant),
  }),
};

export const insightsSettingsNoun: Noun = {
  stream: { name: 'insights-settings-<run>', subject: 'run', erasedWith: 'run' },
  events: insightsSettingsEvents,
};

export type InsightsSettingsEvent = EventOf<typeof insightsSettingsEvents>;
