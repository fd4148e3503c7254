import {
  sessionsAvailableColumns,
  spansAvailableColumns,
  tracesAvailableColumns,
} from '../../contract/columns.js';
import { reading, type Route } from '../../contract/operation.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { registryMetric } from '../../kernel/columns.js';
import type { Population, Records } from '../../kernel/records.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { runCollections, runInSelection, type RunInProject } from '../selection.js';
import { columnDescriptors } from './descriptors.js';

type Needs = { readonly records: Records; readonly runInProject: RunInProject };

/** The three listings of contract 4.1. */
export const columnReads = (needs: Needs): readonly Route[] => [
  available(needs, sessionsAvailableColumns, 'session'),
  available(needs, tracesAvailableColumns, 'trace'),
  available(needs, spansAvailableColumns, 'span'),
];

const available = (
  { records, runInProject }: Needs,
  operation: typeof sessionsAvailableColumns,
  population: Population,
): Route =>
  reading(
    operation,
    [recordsCollection, ...runCollections],
    async ({ body, params: { project_id: project } }) => {
      const facts = await records.columns({
        project,
        run: await runInSelection(runInProject, project, body),
        from: body.start_time ?? null,
        to: body.end_time ?? null,
        filter: null,
        population,
        kinds: null,
        templates: [],
      });
      const types = await records.metricTypes(
        project,
        facts.metrics.filter((name) => !registryMetric.has(name)),
      );
      return { body: { columns: columnDescriptors(population, facts, types) } };
    },
    ({ body }) => [...selectorComplaints(body), ...windowComplaints(body)],
  );
