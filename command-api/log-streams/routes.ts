import {
  createLogStream,
  deleteLogStream,
  logStreamAnswer,
  notCounted,
  renameLogStream,
  type LogStreamFacts,
} from '../../contract/log-streams.js';
import { route, type Route } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/shapes.js';
import { load, transact } from '../../kernel/transact.js';
import { logStreamNames, runs, type Run, runStream } from '../facts/runs.js';
import { userBlockOf } from '../facts/users.js';
import { create, isLive, remove, rename } from './log-streams.js';

type LogStreamNeeds = { readonly log: EventLog; readonly ids: Ids };

export const logStreamWrites = (needs: LogStreamNeeds): readonly Route[] => [
  creating(needs),
  renaming(needs),
  deleting(needs),
];

const creating = (needs: LogStreamNeeds): Route =>
  route(createLogStream, async ({ body, params, principal, cause, mint }) => {
    const id = mint('RunId');
    const names = { scope: params.project_id, name: body.name };
    await logStreamNames.take(needs, names, id, cause);
    const decide = create({
      id,
      projectId: params.project_id,
      organizationId: principal.organizationId,
      name: body.name,
      createdBy: principal.userId,
      createdAt: cause.at,
    });
    const { state, position } = await transact(needs.log, runStream(id), runs, decide, cause);
    const made = present(state);
    const user = await userBlockOf(needs.log, principal.userId);
    return { position, body: logStreamAnswer(factsOf(made, made.createdAt), user, notCounted) };
  });

const renaming = (needs: LogStreamNeeds): Route =>
  route(renameLogStream, async ({ body, params, cause }) => {
    const { project_id: project, log_stream_id: id } = params;
    const before = await load(needs.log, runStream(id), runs);
    if (!isLive(before.state, project)) throw missing();
    const names = { scope: project, from: before.state.name, to: body.name };
    const { state, position } = await logStreamNames.rename(needs, names, id, cause, () =>
      transact(needs.log, runStream(id), runs, rename(id, project, body.name), cause),
    );
    const run = present(state);
    const changed = (await needs.log.read(runStream(id))).findLast(({ revision }) => revision > 0);
    const user = await userBlockOf(needs.log, run.createdBy);
    return {
      position,
      body: logStreamAnswer(factsOf(run, changed?.metadata.at ?? run.createdAt), user, notCounted),
    };
  });

const deleting = (needs: LogStreamNeeds): Route =>
  route(deleteLogStream, async ({ params, cause }) => {
    const { project_id: project, log_stream_id: id } = params;
    const before = await load(needs.log, runStream(id), runs);
    if (!isLive(before.state, project)) throw missing();
    const { position } = await transact(needs.log, runStream(id), runs, remove(id, project), cause);
    const names = { scope: project, name: before.state.name };
    await logStreamNames.release(needs, names, id, cause);
    return { position, body: null };
  });

const missing = (): Fault => new Fault('not-found', 'Log stream not found');

const present = (run: Run | null): Run => {
  if (run === null) throw missing();
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
