import type { LogStreamFacts } from '../contract/log-streams.js';
import type { LogStreamEvent } from '../events/log-streams.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/ports.js';
import type { Projection } from './projection.js';

/**
 * Live log streams by id, within their project. Those of a deleted project stay: nobody can name the project any more,
 * so nobody sees them.
 */
export const logStreamList: Projection<LogStreamEvent, LogStreamFacts> = {
  collection: {
    name: 'log_stream_list',
    version: 1,
    fields: {
      id: 'id',
      name: 'text',
      created_by: 'id',
      created_at: 'date',
      updated_at: 'date',
    },
  },
  types: ['LogStreamCreated', 'LogStreamRenamed', 'LogStreamDeleted'],
  keys: ({ data }) => [data.run_id],
  evolve: (document, event) => {
    const { type, data } = event;
    switch (type) {
      case 'LogStreamCreated':
        return listed({
          id: data.run_id,
          name: data.name,
          project_id: data.project_id,
          created_at: data.created_at,
          updated_at: null,
          created_by: data.created_by,
        });
      case 'LogStreamRenamed':
        return (
          document && listed({ ...document.body, name: data.name, updated_at: event.metadata.at })
        );
      case 'LogStreamDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};

const listed = (body: LogStreamFacts): Document<LogStreamFacts> => ({
  key: body.id,
  scope: body.project_id,
  fields: {
    id: body.id,
    name: body.name,
    created_by: body.created_by,
    created_at: body.created_at,
    updated_at: body.updated_at,
  },
  body,
});
