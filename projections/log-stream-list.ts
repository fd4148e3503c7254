import type { LogStreamFacts } from '../contract/log-streams.js';
import { logStreamEvents } from '../events/log-streams.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { Projection } from './projection.js';

/** Live log streams by id, in the scope of their project. */
export const logStreamList: Projection<typeof logStreamEvents, LogStreamFacts> = {
  collection: {
    name: 'log_stream_list',
    version: 1,
    fields: { id: 'id', name: 'text', created_by: 'id', created_at: 'date', updated_at: 'date' },
  },
  deletedWith: { scope: 'project', key: 'run' },
  events: logStreamEvents,
  keys: ({ data }) => [data.run_id],
  evolve: (document, { type, data, metadata }) => {
    switch (type) {
      case 'LogStreamCreated':
        return documentOf({
          id: data.run_id,
          name: data.name,
          project_id: data.project_id,
          created_at: data.created_at,
          updated_at: data.created_at,
          created_by: data.created_by,
        });
      case 'LogStreamRenamed':
        return (
          document && documentOf({ ...document.body, name: data.name, updated_at: metadata.at })
        );
      case 'LogStreamDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};

const documentOf = (facts: LogStreamFacts): Document<LogStreamFacts> => ({
  key: facts.id,
  scope: facts.project_id,
  fields: {
    id: facts.id,
    name: facts.name,
    created_by: facts.created_by,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
  },
  body: facts,
});
