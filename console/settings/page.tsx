import { useState } from 'preact/hooks';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useSurroundings } from '../client/context.js';
import { useEditedMembers } from '../client/edited-members.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { KeyTable } from '../keys/key-table.js';
import { NewKey } from '../keys/new-key.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { fieldFault } from '../parts/faults.js';
import { TextArea, TextField } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { permitUnless, projectPermit } from '../parts/permits.js';
import { Members } from './members.js';
import { Models } from './models.js';
import { Prices } from './prices.js';

/** One project: name, members, keys, prices, models, and its deletion. */
export const Page = ({ params }: PageProps) => {
  const id = params['project_id'] ?? '';
  const project = useQuery({
    key: ['projects', id],
    ask: (operations, signal) => operations.projects.get({ project_id: id }, { signal }),
  });
  return (
    <>
      <PageHeading title="Settings" />
      <FaultNotice fault={project.fault} onRetry={project.refetch} />
      {project.isLoading && <Skeleton />}
      {project.value !== undefined && (
        <>
          <Details project={project.value} />
          <Members project={project.value} />
          <Keys project={project.value} />
          <Prices project={project.value} />
          <Models project={project.value} />
          <Deletion project={project.value} />
        </>
      )}
    </>
  );
};

const Details = ({ project }: { readonly project: Project }) => {
  const { shown, edits, edit } = useEditedMembers({
    name: project.name,
    description: project.description ?? '',
    labels: project.labels.join(', '),
  });
  const { labels, ...texts } = edits;
  const change = useAction(
    projectPermit(project, 'owner'),
    (operations, _input, options) =>
      operations.projects.change(
        {
          project_id: project.id,
          ...texts,
          ...(labels !== undefined && { labels: labelsOf(labels) }),
        },
        options,
      ),
    ['projects'],
  );
  const { isAllowed, reason } = change.permit;
  const complaint = fieldFault(change.fault, 'name');
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        void change.run();
      }}
    >
      <TextField
        label="Name"
        value={shown.name}
        onInput={(name) => edit({ name })}
        isDisabled={!isAllowed}
        complaint={complaint}
      />
      <TextArea
        label="Description"
        value={shown.description}
        onInput={(description) => edit({ description })}
        isDisabled={!isAllowed}
      />
      <TextField
        label="Labels"
        hint="With commas between them"
        value={shown.labels}
        onInput={(next) => edit({ labels: next })}
        isDisabled={!isAllowed}
      />
      {complaint === null && <FaultNotice fault={change.fault} />}
      <div class="inline">
        <Button type="submit" permit={change.permit} isDisabled={change.isRunning}>
          Save
        </Button>
        <span class="note">{reason}</span>
      </div>
    </form>
  );
};

/** The labels of a text with commas between them. */
const labelsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');

const Keys = ({ project }: { readonly project: Project }) => {
  const { navigation } = useSurroundings();
  const [isCreating, setIsCreating] = useState(false);
  const { value: caller } = useCaller();
  const { reason } = projectPermit(project, 'owner');
  // Owners bind keys to a project.
  const bind = permitUnless('api-key', reason);
  return (
    <section class="card stack" aria-labelledby="settings-keys">
      <div class="spread">
        <h2 id="settings-keys">Your keys of this project</h2>
        <Button permit={bind} onClick={() => setIsCreating(true)}>
          New key
        </Button>
      </div>
      {!bind.isAllowed && (
        <p class="note">
          Only owners bind keys to a project. A key with your own rights is made under{' '}
          <a href={navigation.href('/keys')}>Keys</a>.
        </p>
      )}
      {caller !== undefined && <KeyTable caller={caller} projectId={project.id} />}
      {isCreating && (
        <NewKey projectId={project.id} permit={bind} onClose={() => setIsCreating(false)} />
      )}
    </section>
  );
};

const Deletion = ({ project }: { readonly project: Project }) => {
  const { navigation } = useSurroundings();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAction(
    projectPermit(project, 'owner'),
    (operations, _input, options) =>
      operations.projects.delete({ project_id: project.id }, options),
    ['projects'],
  );
  const confirm = async (): Promise<void> => {
    if (await remove.run()) navigation.go('/');
  };
  return (
    <section class="card stack" aria-labelledby="settings-deletion">
      <h2 id="settings-deletion">Deletion</h2>
      <p>
        All log streams, experiments, records and ratings of the project are erased, from the log
        too.
      </p>
      <div class="inline">
        <Button look="danger" permit={remove.permit} onClick={() => setIsAsking(true)}>
          Delete the project…
        </Button>
        <span class="note">{remove.permit.reason}</span>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${project.name}?`}
          name={project.name}
          action="Delete for good"
          isRunning={remove.isRunning}
          onConfirm={() => void confirm()}
          onClose={() => setIsAsking(false)}
        >
          <Loss projectId={project.id} />
          <FaultNotice fault={remove.fault} />
        </ConfirmDialog>
      )}
    </section>
  );
};

const Loss = ({ projectId }: { readonly projectId: string }) => {
  const traces = useQuery({
    key: ['traces', 'count', projectId],
    ask: (operations, signal) => operations.traces.count({ project_id: projectId }, { signal }),
  });
  const count = traces.value?.total_count;
  return (
    <p>
      {count === undefined ? 'All traces' : `${printCount(count)} traces`} go. This cannot be
      undone.
    </p>
  );
};
