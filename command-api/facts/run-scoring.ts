import { stream, type StreamName } from '../../kernel/ports.js';

export const runScoringStream = (run: string): StreamName => stream('run-scoring', run);
