import { Select } from '../parts/field.js';
import { allRuns } from '../parts/record-scope.js';
import { useQuery } from './queries.js';

const listedMax = 100;

/** Chooses a log stream or an experiment of a project, or all; `log_stream:<uuid>` as its value. */
export const RunPicker = (props: {
  readonly projectId: string;
  /** Empty: the whole project. */
  readonly run: string;
  /** True where an empty run is the log streams, and `all` everything. */
  readonly isOfStreams?: boolean;
  readonly onChange: (run: string) => void;
}) => {
  const { projectId, run } = props;
  const streams = useQuery({
    key: ['log-streams', 'choice', projectId],
    ask: async (operations, signal) => {
      const asked = { project_id: projectId, limit: listedMax };
      const page = await operations.logStreams.page(asked, { signal });
      return page.log_streams.map(({ id, name }) => ({ value: `log_stream:${id}`, text: name }));
    },
    freshMs: 60_000,
  });
  const experiments = useQuery({
    key: ['experiments', 'choice', projectId],
    ask: async (operations, signal) => {
      const asked = { project_id: projectId, limit: listedMax };
      const page = await operations.experiments.page(asked, { signal });
      return page.experiments.map(({ id, name }) => ({
        value: `experiment:${id}`,
        text: `${name} (experiment)`,
      }));
    },
    freshMs: 60_000,
  });
  const listed = [...(streams.value ?? []), ...(experiments.value ?? [])];
  const isListed = run === '' || run === allRuns || listed.some(({ value }) => value === run);
  return (
    <Select
      label="Log stream or experiment"
      value={run}
      choices={[
        ...(props.isOfStreams === true
          ? [
              { value: '', text: 'All log streams' },
              { value: allRuns, text: 'Experiments and validations too' },
            ]
          : [{ value: '', text: 'All' }]),
        ...listed,
        ...(isListed ? [] : [{ value: run, text: run.slice(0, run.indexOf(':') + 9) }]),
      ]}
      onChange={props.onChange}
    />
  );
};
