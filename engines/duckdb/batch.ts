import type { DuckDBValue } from '@duckdb/node-api';
import { registryType } from '../../kernel/column-value.js';
import type { StreamName } from '../../kernel/ports.js';
import type {
  GroupWrite,
  MetricCell,
  Population,
  RecordRow,
  RecordWrites,
} from '../../kernel/records.js';
import type { Model } from './model.js';
import { facetColumns, ordinalsMax, populationOf } from './schema.js';
import { foldedText, storedRow, type StoredRow } from './stored-row.js';

/** What one apply adds. New numbers reach the model only once they are committed. */
export type Batch = {
  readonly model: Model;
  readonly refusedRuns: ReadonlySet<string>;
  readonly refusedProjects: ReadonlySet<string>;
  readonly newProjects: Map<string, number>;
  readonly newColumns: Map<string, number>;
  readonly records: Readonly<Record<Population, StoredRow[]>>;
  readonly facets: DuckDBValue[][];
  readonly groups: { readonly grp: number; readonly group: StreamName }[];
  nextGroup: number;
};

export const startBatch = (model: Model, writes: RecordWrites): Batch => ({
  model,
  refusedRuns: new Set([...model.deletedRuns, ...writes.deletedRuns]),
  refusedProjects: new Set([...model.deletedProjects, ...writes.deletedProjects]),
  newProjects: new Map(),
  newColumns: new Map(),
  records: { session: [], trace: [], span: [] },
  facets: facetColumns.map(() => []),
  groups: [],
  nextGroup: model.nextGroup,
});

/** Rows of deleted runs and projects are left out. */
export const addGroups = (batch: Batch, groups: readonly GroupWrite[]): void => {
  for (const { group, rows } of groups) {
    const kept = rows.filter(({ values: { project_id: project, run_id: run } }) => {
      const refused =
        batch.refusedProjects.has(String(project)) || batch.refusedRuns.has(String(run));
      return !refused;
    });
    if (kept.length === 0) continue;
    const grp = batch.nextGroup;
    batch.nextGroup += 1;
    batch.groups.push({ grp, group });
    for (const row of kept) addRow(batch, row, grp);
  }
};

const addRow = (batch: Batch, row: RecordRow, grp: number): void => {
  const project = numberOf(
    String(row.values['project_id']),
    batch.model.projects,
    batch.newProjects,
  );
  if (row.ordinal >= ordinalsMax) throw new RangeError('too many rows in one group');
  const key = BigInt(grp * ordinalsMax + row.ordinal);
  const stored = storedRow(row, { key, grp, project }, batch.model.misfolded);
  const population = populationOf(row.kind);
  batch.records[population].push(stored);
  const addFacet = (column: string, facet: Facet): void => {
    const number = numberOf(column, batch.model.columns, batch.newColumns);
    const { text, cell } = facet;
    const first = cell?.first;
    const values: readonly DuckDBValue[] = [
      key,
      grp,
      project,
      population,
      number,
      facet.number === null ? null : facet.number + 0,
      facet.boolean,
      text,
      text !== null && batch.model.misfolded.test(text) ? foldedText(text) : null,
      cell?.rolledUp ?? null,
      first?.at ?? null,
      first?.type ?? null,
      first?.fraction ?? null,
    ];
    values.forEach((one, at) => batch.facets[at]?.push(one));
  };
  addFacets(stored, addFacet);
};

type Facet = {
  readonly number: number | null;
  readonly boolean: boolean | null;
  readonly text: string | null;
  readonly cell: MetricCell | null;
};
const nothing: Facet = { number: null, boolean: null, text: null, cell: null };

const addFacets = (
  { row, metrics }: StoredRow,
  add: (column: string, facet: Facet) => void,
): void => {
  for (const metric of Object.keys(metrics)) {
    const cell = metrics[metric];
    if (cell === undefined || registryType(metric) !== null) continue;
    const { value, rollUp } = cell;
    const number = typeof value === 'number' ? value : (rollUp ?? null);
    add(`metrics/${metric}`, {
      number,
      boolean: typeof value === 'boolean' ? value : null,
      text: typeof value === 'string' ? value : null,
      cell,
    });
  }
  for (const [key, text] of Object.entries(row.userMetadata)) {
    add(`user_metadata/${key}`, { ...nothing, text });
  }
  for (const [metric, { code, message }] of Object.entries(row.errors)) {
    add(`errors/${metric}`, { ...nothing, number: code, text: message });
  }
};

const numberOf = (
  id: string,
  known: ReadonlyMap<string, number>,
  added: Map<string, number>,
): number => {
  const number = known.get(id) ?? added.get(id) ?? known.size + added.size;
  if (!known.has(id)) added.set(id, number);
  return number;
};
