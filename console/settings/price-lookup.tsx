import { useState } from 'preact/hooks';
import type {
  Project,
  UnpricedModel,
} from '../../clients/typescript/src/generated/projects-types.js';
import { useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { TextField } from '../parts/field.js';
import { FaultNotice } from '../parts/notice.js';
import { printCount } from '../parts/numbers.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { matchSentence } from './price-texts.js';

/** Looks up the price that a model has now. */
export const PriceLookup = ({ project }: { readonly project: Project }) => {
  const [written, setWritten] = useState('');
  const [model, setModel] = useState('');
  const match = useQuery({
    key: ['prices', project.id, 'match', model],
    isEnabled: model !== '',
    ask: async (operations, signal) =>
      operations.projects.matchModelPrice({ project_id: project.id, model }, { signal }),
  });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setModel(written.trim());
      }}
    >
      <TextField label="Find the price of a model" value={written} onInput={setWritten} />
      <Button type="submit" isDisabled={written.trim() === ''}>
        Find
      </Button>
      <FaultNotice fault={match.fault} onRetry={match.refetch} />
      <p role="status">
        {match.value !== undefined && model !== '' && (
          <RecordedWord text={matchSentence(match.value)} />
        )}
      </p>
    </form>
  );
};

/** Models that have tokens and no cost; nothing where there are none. */
export const UnpricedModels = ({ project }: { readonly project: Project }) => {
  const unpriced = useQuery({
    key: ['prices', project.id, 'unpriced'],
    ask: async (operations, signal) =>
      (await operations.projects.listUnpricedModels({ project_id: project.id }, { signal })).models,
  });
  const rows = unpriced.value ?? [];
  return (
    <>
      <FaultNotice fault={unpriced.fault} onRetry={unpriced.refetch} />
      {rows.length > 0 && <UnpricedTable rows={rows} />}
    </>
  );
};

const UnpricedTable = ({ rows }: { readonly rows: readonly UnpricedModel[] }) => (
  <div class="scroll-x">
    <table class="grid-table">
      <caption>Models with tokens and no cost</caption>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col" class="number">
            Spans
          </th>
          <th scope="col" class="number">
            Tokens
          </th>
          <th scope="col">Price of spans logged now</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.model ?? ''}>
            <td>
              {row.model === null ? (
                <span class="muted">not named</span>
              ) : (
                <RecordedWord text={row.model} />
              )}
            </td>
            <td class="number">{printCount(row.spans)}</td>
            <td class="number">{printCount(row.tokens)}</td>
            <td>
              <RecordedWord text={matchSentence(row)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
