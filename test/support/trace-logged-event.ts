import { newEvent } from './projector.js';
import { projectId, runId, traceId } from './random-trace-logs.js';

/** The first event of a trace without spans; `members` are the trace's own. */
export const traceLoggedEvent = (number: number, members: object = {}) =>
  newEvent('TraceLogged', {
    project_id: projectId,
    run_id: runId,
    run_kind: 'log_stream',
    trace_id: traceId(number),
    session_id: null,
    is_complete: true,
    logging_method: 'api_direct',
    trace: {
      type: 'trace',
      id: traceId(number),
      created_at: '2026-03-01T00:00:00.000000Z',
      ...members,
    },
    spans: [],
  });
