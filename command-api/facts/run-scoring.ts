import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const runScoringStream = (run: string): StreamName => streamNameOf('run-scoring', run);
