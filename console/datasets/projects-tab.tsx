import { useState } from 'preact/hooks';
import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { containsFilter } from '../client/contains-filter.js';
import { useSurroundings } from '../client/context.js';
import { useAction, useQuery } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { TextField } from '../parts/field.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { datasetPermit, permitUnless, projectPermit, type Permit } from '../parts/permits.js';
import { markedText } from '../parts/text-pieces.js';

const listedMax = 200;
const foundMax = 12;

/** Projects whose viewers may read the dataset. */
export const ProjectsTab = ({ dataset }: { readonly dataset: Dataset }) => {
  const [isLinking, setIsLinking] = useState(false);
  const list = useLinkedProjects(dataset.id);
  const projects = list.value?.projects ?? [];
  const permit = datasetPermit(dataset);
  const hidden = list.value === undefined ? 0 : dataset.project_count - projects.length;
  return (
    <>
      <div class="inline">
        <Button permit={permit} onClick={() => setIsLinking(true)}>
          Link to a project
        </Button>
        <span class="note">
          {permit.isAllowed
            ? 'Viewers of a linked project may read the dataset; editors of its home may change it.'
            : `Read-only: ${permit.reason ?? ''}.`}
        </span>
      </div>
      <FaultNotice fault={list.fault} onRetry={list.refetch} />
      {list.isLoading && <Skeleton rows={2} />}
      {list.value !== undefined && projects.length === 0 && (
        <EmptyNotice title="No project uses it, as far as you can see" />
      )}
      {projects.length > 0 && (
        <div class="scroll-x">
          <table class="grid-table">
            <thead>
              <tr>
                <th scope="col">Project</th>
                <th scope="col">You are</th>
                <ActionsHead />
              </tr>
            </thead>
            <tbody>
              {projects.map((project) => (
                <LinkedProject key={project.id} datasetId={dataset.id} project={project} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hidden > 0 && <p class="note">{`And ${hidden} that you cannot see.`}</p>}
      {isLinking && <LinkDialog dataset={dataset} onClose={() => setIsLinking(false)} />}
    </>
  );
};

/** Projects that a dataset is linked to and that the caller can see. */
export const useLinkedProjects = (id: string, isEnabled = true) =>
  useQuery({
    key: ['datasets', id, 'projects'],
    ask: async (operations, signal) =>
      operations.datasets.listProjects({ dataset_id: id, limit: listedMax }, { signal }),
    isEnabled,
  });

const LinkedProject = (props: { readonly datasetId: string; readonly project: Project }) => {
  const { navigation } = useSurroundings();
  const { datasetId, project } = props;
  const unlink = useAction(
    linkPermit(project),
    (operations, _input, options) =>
      operations.datasets.unlink({ dataset_id: datasetId, project_id: project.id }, options),
    ['datasets'],
  );
  const name = markedText(project.name);
  return (
    <tr>
      <td>
        <a href={navigation.href(`/p/${project.id}`)}>{name}</a>
      </td>
      <td>{project.role}</td>
      <td class="number">
        {unlink.fault !== null && (
          <span class="bad" role="alert">
            {unlink.fault.message}
          </span>
        )}
        <Button
          look="plain"
          label={`Unlink from ${name}`}
          permit={unlink.permit}
          isDisabled={unlink.isRunning}
          onClick={() => void unlink.run()}
        >
          Unlink
        </Button>
      </td>
    </tr>
  );
};

const LinkDialog = (props: { readonly dataset: Dataset; readonly onClose: () => void }) => {
  const { dataset } = props;
  const [name, setName] = useState('');
  const projects = useQuery({
    key: ['projects', 'list', name],
    ask: async (operations, signal) => {
      const filters = containsFilter('name', name);
      return operations.projects.page({ filters, limit: foundMax }, { signal });
    },
    keepsPrevious: true,
  });
  return (
    <Dialog title={`Link ${markedText(dataset.name)} to a project`} onClose={props.onClose}>
      <TextField label="Find a project" type="search" value={name} onInput={setName} />
      <FaultNotice fault={projects.fault} />
      <ul class="choices" aria-label="Projects">
        {(projects.value?.projects ?? []).map((project) => (
          <LinkChoice key={project.id} dataset={dataset} project={project} onDone={props.onClose} />
        ))}
      </ul>
    </Dialog>
  );
};

const LinkChoice = (props: {
  readonly dataset: Dataset;
  readonly project: Project;
  readonly onDone: () => void;
}) => {
  const { dataset, project } = props;
  const link = useAction(
    linkPermit(project),
    async (operations, _input, options) => {
      await operations.datasets.link({ dataset_id: dataset.id, project_id: project.id }, options);
      props.onDone();
    },
    ['datasets'],
  );
  return (
    <li class="spread">
      <Button
        look="plain"
        permit={link.permit}
        isDisabled={link.isRunning}
        onClick={() => void link.run()}
      >
        {markedText(project.name)}
      </Button>
      <span class="note">{link.permit.reason ?? project.role}</span>
      <FaultNotice fault={link.fault} />
    </li>
  );
};

/** Whether the caller may link a dataset that they see to the project, or end that. */
const linkPermit = (project: Project): Permit<'dataset-read'> =>
  permitUnless('dataset-read', projectPermit(project, 'editor').reason);
