import { Select } from '../parts/field.js';
import { useQuery } from './queries.js';

const listedMax = 100;

/** Chooses a log stream or an experiment of a project, or all; `log_stream:<uuid>` as its value. */
export const RunPicker = (props: {
  readonly projectId: string;
  /** Empty: the whole project. */
  readonly run: string;
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
  const isListed = run === '' || listed.some(({ value }) => value === run);
  return (
    <Select
      label="Run"
      value={run}
      choices={[
        { value: '', text: 'All runs' },
        ...listed,
        ...(isListed ? [] : [{ value: run, text: run.slice(0, run.indexOf(':') + 9) }]),
      ]}
      onChange={props.onChange}
    />
  );
};
