import { streamNameOf, type StreamName } from '../../kernel/ports.js';

export const traceStream = (project: string, trace: string): StreamName =>
  streamNameOf('trace', project, trace);
