import { useColumns } from '../client/filter-context.js';
import { CurlDialog } from '../explorer/curl-dialog.js';
import { DatasetDialog } from '../explorer/dataset-dialog.js';
import { withFilter } from '../explorer/questions.js';
import { both, type FilterTree } from '../language/filter-tree.js';
import type { TraceIds } from './use-trace.js';

/** Commands about the selected record that open something over the page, or its ratings. */
export type TraceCommand = 'rate' | 'dataset' | 'curl';

/** Adds the selected record to a dataset, or shows how to ask for it by curl. */
export const TraceDialog = (props: {
  readonly ids: TraceIds;
  /** Id of the selected span; empty: the trace. */
  readonly spanId: string;
  readonly command: 'dataset' | 'curl';
  readonly onClose: () => void;
}) => {
  const { ids, spanId, command } = props;
  const population = spanId === '' ? 'trace' : 'span';
  const question = withFilter({ project_id: ids.projectId }, recordTree(ids.traceId, spanId));
  const columns = useColumns(ids.projectId, population, command === 'dataset');
  if (command === 'curl') {
    return <CurlDialog kind={`${population}s`} question={question} onClose={props.onClose} />;
  }
  if (columns === undefined) return null;
  return (
    <DatasetDialog
      population={population}
      question={question}
      count={1}
      columns={columns}
      onClose={props.onClose}
    />
  );
};

const recordTree = (traceId: string, spanId: string): FilterTree => {
  const idIs = (name: string, value: string): FilterTree => ({
    filter: { type: 'id', name, operator: 'eq', value },
  });
  if (spanId === '') return idIs('id', traceId);
  return both(idIs('trace_id', traceId), idIs('id', spanId));
};
