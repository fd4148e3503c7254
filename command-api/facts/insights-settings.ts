import { stream, type StreamName } from '../../kernel/ports.js';

export const insightsSettingsStream = (run: string): StreamName => stream('insights-settings', run);
