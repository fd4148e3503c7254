import { stream, type StreamName } from '../../kernel/ports.js';

export const deletionStream = (id: string): StreamName => stream('deletion', id);
