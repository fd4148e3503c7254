import { useState } from 'preact/hooks';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useSurroundings } from '../client/context.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { fieldFault } from '../parts/faults.js';
import { TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCost } from '../parts/numbers.js';
import { organizationPermit, type Permit } from '../parts/permits.js';
import { Sparkline } from '../parts/sparkline.js';
import { activityOf, activityQuestion } from './model.js';

/** Rows whose activity is asked for; the others are a search away. */
const rowsMax = 12;

/** Visible projects with their last day, found by name. */
export const Page = () => {
  const [name, setName] = useState('');
  const [isCreating, setIsCreating] = useState(false);
  const projects = useQuery({
    key: ['projects', 'list', name],
    ask: async (operations, signal) => {
      const filters = containsFilter('name', name);
      return operations.projects.page({ filters, limit: rowsMax }, { signal });
    },
    keepsPrevious: true,
  });
  const rows = projects.value?.projects ?? [];
  const { value: caller } = useCaller();
  const permit = organizationPermit(caller, 'user');
  return (
    <>
      <PageHeading title="Projects">
        <Button look="primary" permit={permit} onClick={() => setIsCreating(true)}>
          New project
        </Button>
        <span class="note">{permit.reason}</span>
      </PageHeading>
      <TextField label="Find by name" type="search" value={name} onInput={setName} />
      <FaultNotice fault={projects.fault} onRetry={projects.refetch} />
      <BehindNotice isBehind={projects.isBehind} />
      {projects.isLoading && <Skeleton />}
      {projects.value !== undefined && rows.length === 0 && (
        <EmptyNotice title={name === '' ? 'No project yet' : 'No project has this in its name'}>
          <p>A project holds the traces of one application.</p>
        </EmptyNotice>
      )}
      {rows.length > 0 && <ProjectTable rows={rows} isStale={projects.isPrevious} />}
      {isCreating && <NewProject permit={permit} onClose={() => setIsCreating(false)} />}
    </>
  );
};

const ProjectTable = (props: { readonly rows: readonly Project[]; readonly isStale: boolean }) => (
  <div class="scroll-x" aria-busy={props.isStale}>
    <table class="grid-table">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Last 24 hours</th>
          <th scope="col" class="number">
            Traces, 24 h
          </th>
          <th scope="col" class="number">
            Cost, 24 h
          </th>
          <th scope="col">You are</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((project) => (
          <ProjectRow key={project.id} project={project} />
        ))}
      </tbody>
    </table>
  </div>
);

const ProjectRow = ({ project }: { readonly project: Project }) => {
  const { navigation, service } = useSurroundings();
  const activity = useQuery({
    key: ['metrics', 'activity', project.id],
    ask: async (operations, signal) => {
      const now = service.now();
      const question = { project_id: project.id, ...activityQuestion(now) };
      return activityOf(await operations.metrics.search(question, { signal }), now);
    },
    freshMs: 60_000,
  });
  const { value } = activity;
  return (
    <tr>
      <td>
        <a href={navigation.href(`/p/${project.id}`)}>{project.name}</a>
      </td>
      <td>{value !== undefined && <Sparkline values={value.hours} label="Traces by hour" />}</td>
      <td class="number">{value?.traces.toLocaleString('en') ?? ''}</td>
      <td class="number">{value?.cost == null ? '–' : printCost(value.cost)}</td>
      <td>{project.role}</td>
    </tr>
  );
};

const NewProject = (props: { readonly permit: Permit<'user'>; readonly onClose: () => void }) => {
  const { navigation } = useSurroundings();
  const [name, setName] = useState('');
  const create = useAction(
    props.permit,
    async (operations, wanted: string, options) => {
      const { id } = await operations.projects.create({ name: wanted }, options);
      navigation.go(`/p/${id}/start`);
    },
    ['projects'],
  );
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void create.run(name);
  };
  const complaint = fieldFault(create.fault, 'name');
  return (
    <Dialog title="New project" onClose={props.onClose}>
      <form class="stack" onSubmit={submit}>
        <TextField label="Name" value={name} onInput={setName} complaint={complaint} isRequired />
        {complaint === null && <FaultNotice fault={create.fault} />}
        <Button type="submit" look="primary" isDisabled={create.isRunning}>
          Create
        </Button>
      </form>
    </Dialog>
  );
};
