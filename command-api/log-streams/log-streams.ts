import type { LogStreamCreated, LogStreamEvent } from '../../events/log-streams.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';
import type { Run } from '../facts/runs.js';

export const create =
  (data: LogStreamCreated): Decide<Run | null, LogStreamEvent> =>
  (run) =>
    run === null ? [{ type: 'LogStreamCreated', data }] : [];

export const rename =
  (id: RunId, project: ProjectId, name: string): Decide<Run | null, LogStreamEvent> =>
  (run) => {
    if (!isLive(run, project)) return reject('not-found', 'Log stream not found');
    return run?.name === name
      ? []
      : [{ type: 'LogStreamRenamed', data: { run_id: id, project_id: project, name } }];
  };

export const remove =
  (id: RunId, project: ProjectId): Decide<Run | null, LogStreamEvent> =>
  (run) =>
    isLive(run, project)
      ? [{ type: 'LogStreamDeleted', data: { run_id: id, project_id: project } }]
      : [];

/** True if the run is a live log stream of this project. */
export const isLive = (run: Run | null, project: ProjectId): run is Run =>
  run !== null && run.live && run.kind === 'log_stream' && run.projectId === project;
