import { writeRoute, type Request, type Route } from '../../contract/operation.js';
import {
  changeView,
  createView,
  deleteView,
  viewAnswer,
  viewTag,
  type SavedView,
} from '../../contract/views.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Position } from '../../kernel/ports.js';
import type { UserId, ViewId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { savedViews, viewsStream, type SavedViews } from '../facts/views.js';
import { change, create, remove, viewNotFound, visibleView, type ViewCaller } from './views.js';

type ViewNeeds = { readonly log: EventLog };

/** Write routes of saved views (contract 5.16). */
export const viewWrites = (needs: ViewNeeds): readonly Route[] => [
  creating(needs),
  changing(needs),
  deleting(needs),
];

const creating = ({ log }: ViewNeeds): Route =>
  writeRoute(createView, async ({ body, params: { project_id: project }, mint, ...request }) => {
    const { cause } = request;
    const caller = callerOf(request);
    const id = mint('ViewId');
    const decide = create(
      {
        project_id: project,
        view_id: id,
        version: 1,
        name: body.name,
        page: body.page,
        state: body.state,
        is_shared: body.is_shared ?? false,
        created_by: caller.userId,
        created_at: cause.at,
        saved_at: cause.at,
      },
      caller,
    );
    const saved = await transact(log, viewsStream(project), savedViews, decide, cause);
    return answerOf(saved, id, caller.userId);
  });

const changing = ({ log }: ViewNeeds): Route =>
  writeRoute(changeView, async ({ body, params, ifMatch, ...request }) => {
    const { project_id: project, view_id: id } = params;
    const { cause } = request;
    const caller = callerOf(request);
    const decide = change({ project, id, caller, ifMatch, changes: body, at: cause.at });
    const saved = await transact(log, viewsStream(project), savedViews, decide, cause);
    return answerOf(saved, id, caller.userId);
  });

const deleting = ({ log }: ViewNeeds): Route =>
  writeRoute(deleteView, async ({ params, ifMatch, ...request }) => {
    const { project_id: project, view_id: id } = params;
    const caller = callerOf(request);
    const stream = viewsStream(project);
    const before = await loadStreamState(log, stream, savedViews);
    if (visibleView(before.state, id, caller.userId) === null) throw notFound();
    const decide = remove({ project, id, caller, ifMatch });
    const { position } = await transact(log, stream, savedViews, decide, request.cause);
    return { position, body: { message: 'The view is deleted.' } };
  });

/** Caller of a request whose path names a project, so that the guard found it. */
const callerOf = ({
  principal,
  project,
}: Pick<Request<never, never, never>, 'principal' | 'project'>): ViewCaller => {
  if (project === null) throw new Fault('not-found', 'Project not found');
  return { userId: principal.userId, role: project.role };
};

const answerOf = (
  { state, position }: { readonly state: SavedViews; readonly position: Position },
  id: ViewId,
  user: UserId,
): { readonly position: Position; readonly body: SavedView; readonly etag: string } => {
  const saved = visibleView(state, id, user);
  if (saved === null) throw notFound();
  return { position, body: viewAnswer(saved), etag: viewTag(saved) };
};

const notFound = (): Fault => {
  const { rejected, detail } = viewNotFound();
  return new Fault(rejected, detail);
};
