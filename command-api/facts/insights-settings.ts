import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const insightsSettingsStream = (run: string): StreamName =>
  streamNameOf('insights-settings', run);
