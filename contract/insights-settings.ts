import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  namedSchema,
  nullable,
  type Instant,
  type RunId,
} from '../kernel/schema-types.js';
import { operation } from './operation.js';

const settings = namedSchema(
  'InsightsSettings',
  Type.Object({
    run_id: id('RunId'),
    insights: namedSchema(
      'Insights',
      Type.Object({
        logstream: namedSchema(
          'LogStreamInsights',
          Type.Object({
            enabled: Type.Boolean(),
            /** Time of the last switch from off to on; null if there was none. */
            start_time: nullable(instant),
          }),
        ),
      }),
    ),
  }),
);
type InsightsSettingsAnswer = Static<typeof settings>;

const shared = {
  section: '4.10',
  path: '/v2/projects/{project_id}/runs/{run_id}/insights-settings',
  response: settings,
} as const;

export const changeInsightsSettings = operation({
  ...shared,
  operationId: 'changeInsightsSettings',
  summary: 'Switch the insights of a run on or off',
  description: '`start_time` is that of the last switch from off to on.',
  example: { insights: { logstream: { enabled: true } } },
  method: 'PATCH',
  requires: 'editor',
  conditional: true,
  body: Type.Object({
    insights: namedSchema(
      'InsightsInput',
      Type.Object({
        logstream: Type.Optional(
          namedSchema('LogStreamInsightsInput', Type.Object({ enabled: Type.Boolean() })),
        ),
      }),
    ),
  }),
});

export const getInsightsSettings = operation({
  ...shared,
  operationId: 'getInsightsSettings',
  summary: 'Insights settings of a run',
  description: 'Off by default.',
  method: 'GET',
  requires: 'viewer',
});

export const insightsSettingsOperations = [changeInsightsSettings, getInsightsSettings];

/** Insights settings of a run as folded from the log. */
export type InsightsSettings = {
  readonly enabled: boolean;
  readonly startTime: Instant | null;
  /** Number of changes of the settings, from 0; their entity tag. */
  readonly changes: number;
};
/** Defaults until the first change (contract 4.10, rule 1). */
export const defaultInsightsSettings: InsightsSettings = {
  enabled: false,
  startTime: null,
  changes: 0,
};

export const insightsSettingsAnswer = (
  run: RunId,
  { enabled, startTime }: InsightsSettings,
): InsightsSettingsAnswer => ({
  run_id: run,
  insights: { logstream: { enabled, start_time: startTime } },
});

export const insightsSettingsTag = ({ changes }: InsightsSettings): string => String(changes);
