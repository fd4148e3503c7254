import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const deletionStream = (id: string): StreamName => streamNameOf('deletion', id);
