// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant } from '../kernel/shapes.js';

/** Stream `run-<run>`. */
export const logStreamCreated = Type.Object({
  run_id: id('RunId'),
  project_id: id('ProjectId'),
  organization_id: id('OrganizationId'),
  name: Type.String(),
  created_by: id('UserId'),
  created_at: instant,
});
export const logStreamRenamed = Type.Object({
  run_id: id('RunId'),
  project_id: id('ProjectId'),
  name: Type.String(),
});
/** Its records answer 404 from here on and are erased by the worker. */
export const logStreamDeleted = Type.Object({ run_id: id('RunId'), project_id: id('ProjectId') });

export type LogStreamEvent =
  | { readonly type: 'LogStreamCreated'; readonly data: Static<typeof logStreamCreated> }
  | { readonly type: 'LogStreamRenamed'; readonly data: Static<typeof logStreamRenamed> }
  | { readonly type: 'LogStreamDeleted'; readonly data: Static<typeof logStreamDeleted> };
