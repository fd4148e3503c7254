import { useState } from 'preact/hooks';
import type { Integration } from '../../clients/typescript/src/generated/integrations-types.js';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { Select, TextField } from '../parts/field.js';
import { EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { personPermit, type Permit } from '../parts/permits.js';

const usualCallsPerMinute = '60';

type LendProps = {
  readonly project: Project;
  readonly permit: Permit<'lender'>;
  readonly onClose: () => void;
};

/** Lends one of the caller's integrations to the project, or changes its limits. */
export const LendDialog = (props: LendProps) => {
  const { value: caller } = useCaller();
  const own = useQuery({
    key: ['integrations', 'own', caller?.id],
    permit: personPermit(caller, 'person'),
    ask: async (operations, signal) => {
      const all = await operations.integrations.list({}, { signal });
      return all.filter(({ created_by }) => created_by === caller?.id);
    },
  });
  return (
    <Dialog title="Lend an integration" onClose={props.onClose}>
      <FaultNotice fault={own.fault} onRetry={own.refetch} />
      {own.isLoading && <Skeleton rows={2} />}
      {own.value?.length === 0 && (
        <EmptyNotice title="You have no integration">
          <p>Make one with PUT /v2/integrations/openai, or another provider, first.</p>
        </EmptyNotice>
      )}
      {own.value?.[0] !== undefined && (
        <LendForm {...props} integrations={own.value} first={own.value[0]} />
      )}
    </Dialog>
  );
};

const LendForm = (
  props: LendProps & { readonly integrations: readonly Integration[]; readonly first: Integration },
) => {
  const [chosen, setChosen] = useState(props.first.id);
  const [budget, setBudget] = useState('');
  const [calls, setCalls] = useState(usualCallsPerMinute);
  const lend = useAction(
    props.permit,
    (operations, _input, options) =>
      operations.models.lendIntegration(
        {
          project_id: props.project.id,
          integration_id: chosen,
          daily_budget: budget === '' ? null : Number(budget),
          calls_per_minute: Number(calls),
        },
        options,
      ),
    ['models'],
  );
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void lend.run().then((isDone) => isDone && props.onClose());
      }}
    >
      <Select
        label="Your integration"
        value={chosen}
        choices={props.integrations.map(({ id, provider }) => ({ value: id, text: provider }))}
        onChange={setChosen}
      />
      <TextField
        label="$ a day, at most"
        hint="Empty: the budget of the project alone"
        type="number"
        value={budget}
        onInput={setBudget}
      />
      <TextField label="Calls a minute" type="number" value={calls} onInput={setCalls} />
      <FaultNotice fault={lend.fault} />
      <Button type="submit" look="primary" isDisabled={lend.isRunning || calls === ''}>
        Lend it
      </Button>
    </form>
  );
};
