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
import { claim, release } from '../../kernel/reservation.js';
import type { Instant, ProjectId } from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { runs, type Run, logStreamNameStream, runStanding, runStream } from '../facts/runs.js';
import { userBlockOf } from '../facts/users.js';
import { create, isLive, remove, rename } from './log-streams.js';

export type LogStreamNeeds = { readonly log: EventLog; readonly ids: Ids };

export const logStreamWrites = ({ log, ids }: LogStreamNeeds): readonly Route[] => {
  const take = async (
    project: ProjectId,
    name: string,
    holder: string,
    cause: Authorship,
  ): Promise<void> => {
    const names = logStreamNameStream(ids, project, name);
    if (!(await claim(log, names, holder, runStanding(log, name), cause))) {
      throw new Fault('already-exists', `A log stream named '${name}' exists already`);
    }
  };

  return [
    route(createLogStream, async ({ body, params, principal, cause, mint }) => {
      const id = mint('RunId');
      await take(params.project_id, body.name, id, cause);
      const { state, position } = await transact(
        log,
        runStream(id),
        runs,
        create({
          id,
          projectId: params.project_id,
          organizationId: principal.organizationId,
          name: body.name,
          createdBy: principal.userId,
          createdAt: cause.at,
        }),
        cause,
      );
      const made = present(state);
      const user = await userBlockOf(log, principal.userId);
      return { position, body: logStreamAnswer(factsOf(made, made.createdAt), user, notCounted) };
    }),

    route(renameLogStream, async ({ body, params, cause }) => {
      const { project_id: project, log_stream_id: id } = params;
      const before = await load(log, runStream(id), runs);
      if (!isLive(before.state, project)) throw missing();
      const old = before.state.name;
      if (old !== body.name) await take(project, body.name, id, cause);
      const { state, position } = await transact(
        log,
        runStream(id),
        runs,
        rename(id, project, body.name),
        cause,
      );
      if (old !== body.name) {
        await release(log, logStreamNameStream(ids, project, old), id, cause);
      }
      const run = present(state);
      const changed = (await log.read(runStream(id))).findLast(({ revision }) => revision > 0);
      const user = await userBlockOf(log, run.createdBy);
      return {
        position,
        body: logStreamAnswer(
          factsOf(run, changed?.metadata.at ?? run.createdAt),
          user,
          notCounted,
        ),
      };
    }),

    route(deleteLogStream, async ({ params, cause }) => {
      const { project_id: project, log_stream_id: id } = params;
      const before = await load(log, runStream(id), runs);
      if (!isLive(before.state, project)) throw missing();
      const { position } = await transact(log, runStream(id), runs, remove(id, project), cause);
      await release(log, logStreamNameStream(ids, project, before.state.name), id, cause);
      return { position, body: null };
    }),
  ];
};

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
