import {
  createLogStream,
  deleteLogStream,
  logStreamAnswer,
  notCounted,
  renameLogStream,
  type LogStreamFacts,
} from '../../contract/log-streams.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { logStreamNames, runs, type Run, runStream } from '../facts/runs.js';
import { loadUserBlock } from '../facts/users.js';
import { create, isLive, remove, rename } from './log-streams.js';

type LogStreamNeeds = { readonly log: EventLog; readonly ids: Ids };

export const logStreamWrites = (needs: LogStreamNeeds): readonly Route[] => [
  createLogStreamRoute(needs),
  renameLogStreamRoute(needs),
  deleteLogStreamRoute(needs),
];

const createLogStreamRoute = (needs: LogStreamNeeds): Route =>
  writeRoute(createLogStream, async ({ body, params, principal, cause, mint }) => {
    const id = mint('RunId');
    const decide = create({
      run_id: id,
      project_id: params.project_id,
      organization_id: principal.organizationId,
      name: body.name,
      created_by: principal.userId,
      created_at: cause.at,
    });
    const { state, position } = await logStreamNames.transact(needs, id, runs, decide, cause);
    const made = requireLogStream(state);
    const user = await loadUserBlock(needs.log, principal.userId);
    return { position, body: logStreamAnswer(factsOf(made, made.createdAt), user, notCounted) };
  });

const renameLogStreamRoute = (needs: LogStreamNeeds): Route =>
  writeRoute(renameLogStream, async ({ body, params, cause }) => {
    const { project_id: project, log_stream_id: id } = params;
    const decide = rename(id, project, body.name);
    const { state, position } = await logStreamNames.transact(needs, id, runs, decide, cause);
    const run = requireLogStream(state);
    const changed = (await needs.log.read(runStream(id))).findLast(({ revision }) => revision > 0);
    const user = await loadUserBlock(needs.log, run.createdBy);
    return {
      position,
      body: logStreamAnswer(factsOf(run, changed?.metadata.at ?? run.createdAt), user, notCounted),
    };
  });

const deleteLogStreamRoute = (needs: LogStreamNeeds): Route =>
  writeRoute(deleteLogStream, async ({ params, cause }) => {
    const { project_id: project, log_stream_id: id } = params;
    const before = await loadStreamState(needs.log, runStream(id), runs);
    if (!isLive(before.state, project)) throw logStreamNotFound();
    const decide = remove(id, project);
    const { position } = await logStreamNames.transact(needs, id, runs, decide, cause);
    return { position, body: null };
  });

const logStreamNotFound = (): Fault => new Fault('not-found', 'Log stream not found');

const requireLogStream = (run: Run | null): Run => {
  if (run === null) throw logStreamNotFound();
  return run;
};

const factsOf = (run: Run, updatedAt: Instant): LogStreamFacts => ({
  id: run.id,
  name: run.name,
  project_id: run.projectId,
  created_at: run.createdAt,
  updated_at: updatedAt,
  created_by: run.createdBy,
});
