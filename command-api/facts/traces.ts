import { stream, type StreamName } from '../../kernel/ports.js';

export const traceStream = (project: string, trace: string): StreamName =>
  stream('trace', project, trace);
