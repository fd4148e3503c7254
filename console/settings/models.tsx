import { useState } from 'preact/hooks';
import type {
  LentIntegration,
  ModelAccess,
} from '../../clients/typescript/src/generated/models-types.js';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useEditedMembers } from '../client/edited-members.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { ActionsHead } from '../parts/actions-head.js';
import { Button } from '../parts/button.js';
import { Checkbox, TextField } from '../parts/field.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import { lenderPermit, permitUnless, projectPermit } from '../parts/permits.js';
import { personName } from '../people/model.js';
import { LendDialog } from './lend-dialog.js';
import { useMembers } from './members.js';
import { lendingStates, modelSettingsOf, type ModelSettingsTexts } from './model.js';

/** Integrations that are lent to the project, and what it may spend on calls of models. */
export const Models = ({ project }: { readonly project: Project }) => {
  const [isLending, setIsLending] = useState(false);
  const { value: caller } = useCaller();
  const permit = lenderPermit(caller, project);
  const access = useQuery({
    key: ['models', project.id],
    ask: (operations, signal) => operations.models.access({ project_id: project.id }, { signal }),
  });
  const lent = access.value?.integrations ?? [];
  return (
    <section class="card stack" aria-labelledby="settings-models">
      <div class="spread">
        <h2 id="settings-models">Models</h2>
        <Button label="Lend an integration" permit={permit} onClick={() => setIsLending(true)}>
          Lend
        </Button>
      </div>
      <p class="note">
        The project calls models through integrations that people lend to it, one of a provider.
        Budgets are dollars a day in UTC.
      </p>
      <FaultNotice fault={access.fault} onRetry={access.refetch} />
      <BehindNotice isBehind={access.isBehind} />
      {access.isLoading && <Skeleton rows={2} />}
      {access.value !== undefined && lent.length === 0 && (
        <EmptyNotice title="No integration is lent" />
      )}
      {lent.length > 0 && <LentTable project={project} lent={lent} />}
      {access.value !== undefined && <Limits project={project} access={access.value} />}
      {isLending && (
        <LendDialog project={project} permit={permit} onClose={() => setIsLending(false)} />
      )}
    </section>
  );
};

const LentTable = (props: {
  readonly project: Project;
  readonly lent: readonly LentIntegration[];
}) => {
  const { value: members } = useMembers(props.project.id);
  const nameOf = (id: string): string => {
    const found = members?.people.find(({ user_id }) => user_id === id);
    return found === undefined ? id : personName(found);
  };
  return (
    <div class="scroll-x">
      <table class="grid-table">
        <thead>
          <tr>
            <th scope="col">Provider</th>
            <th scope="col">Lent by</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              $ a day
            </th>
            <th scope="col" class="number">
              Calls a minute
            </th>
            <ActionsHead />
          </tr>
        </thead>
        <tbody>
          {props.lent.map((one) => (
            <LentRow
              key={one.integration_id}
              project={props.project}
              lent={one}
              lender={nameOf(one.lent_by)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const LentRow = (props: {
  readonly project: Project;
  readonly lent: LentIntegration;
  readonly lender: string;
}) => {
  const { project, lent } = props;
  const { value: caller } = useCaller();
  const permit = lenderPermit(caller, project);
  const isEntitled = project.role === 'owner' || caller?.id === lent.lent_by;
  const end = useAction(
    permit.isAllowed && !isEntitled
      ? permitUnless('lender', 'Its lender and owners end it')
      : permit,
    (operations, _input, options) =>
      operations.models.endIntegrationLending(
        { project_id: project.id, integration_id: lent.integration_id },
        options,
      ),
    ['models'],
  );
  return (
    <tr>
      <td title={lent.models.join(', ')}>{lent.provider}</td>
      <td>{props.lender}</td>
      <td class={lent.state === 'usable' ? undefined : 'bad'}>{lendingStates[lent.state]}</td>
      <td class="number">{lent.daily_budget ?? '–'}</td>
      <td class="number">{printCount(lent.calls_per_minute)}</td>
      <td class="number">
        <Button
          look="plain"
          label={`End the lending of ${lent.provider}`}
          permit={end.permit}
          isDisabled={end.isRunning}
          onClick={() => void end.run()}
        >
          End
        </Button>
        <FaultNotice fault={end.fault} />
      </td>
    </tr>
  );
};

const Limits = (props: { readonly project: Project; readonly access: ModelAccess }) => {
  const { project, access } = props;
  const { shown, edits, edit } = useEditedMembers<ModelSettingsTexts>({
    budget: String(access.daily_budget),
    calls: String(access.daily_calls),
    model: access.default_model ?? '',
    judge: access.judge_model ?? '',
    isUnpriced: access.allow_unpriced,
    isNaming: access.name_clusters,
  });
  const save = useAction(
    projectPermit(project, 'owner'),
    async (operations, _input, options) => {
      // Settings are replaced whole: members that somebody else changed meanwhile stay.
      const now = await operations.models.access({ project_id: project.id });
      const settings = modelSettingsOf(now, edits);
      return operations.models.setAccess({ project_id: project.id, ...settings }, options);
    },
    ['models'],
  );
  const { isAllowed } = save.permit;
  const field = (label: string, member: 'budget' | 'calls' | 'model' | 'judge', hint?: string) => (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      type={member === 'budget' || member === 'calls' ? 'number' : 'text'}
      value={shown[member]}
      onInput={(value) => edit({ [member]: value })}
      isDisabled={!isAllowed}
    />
  );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {field('Budget of the project, $ a day', 'budget')}
      {field('Calls a day', 'calls')}
      {field('Default model', 'model', 'As provider/model, or alone')}
      {field('Model of judges', 'judge')}
      <Checkbox
        label="Allow models without a price, which no budget limits"
        isChecked={shown.isUnpriced}
        permit={save.permit}
        onChange={(isUnpriced) => edit({ isUnpriced })}
      />
      <Checkbox
        label="Name clusters of failures by a model"
        isChecked={shown.isNaming}
        permit={save.permit}
        onChange={(isNaming) => edit({ isNaming })}
      />
      <FaultNotice fault={save.fault} />
      <div class="inline">
        <Button type="submit" permit={save.permit} isDisabled={save.isRunning}>
          Set the limits
        </Button>
      </div>
    </form>
  );
};
