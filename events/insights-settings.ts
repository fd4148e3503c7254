// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/shapes.js';
import type { EventOf } from './schemas.js';

export const insightsSettingsEvents = {
  /**
   * Stream `insights-settings-<run>`: separate from the run's own, because it does not change the
   * run.
   */
  InsightsSettingsChanged: Type.Object({
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    enabled: Type.Boolean(),
    /** When it was last switched on; null = never. */
    start_time: nullable(instant),
  }),
};

export type InsightsSettingsEvent = EventOf<typeof insightsSettingsEvents>;
