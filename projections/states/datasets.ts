import { streamNameOf } from '../../kernel/ports.js';
import { datasetList } from '../dataset-list.js';
import { documentState, type StateDefinition } from './state.js';

/** State of a dataset without its rows: `dataset-rows.ts` gives the rows that a version changed. */
export const datasetState: StateDefinition = {
  streams: ({ id }) => [streamNameOf('dataset', id)],
  open: ({ id }) =>
    documentState(
      [datasetList],
      ({ of }) => {
        const found = of(datasetList);
        if (found === null) return null;
        const { revision: _, ...facts } = found.body.facts;
        return facts;
      },
      id,
    ),
};
