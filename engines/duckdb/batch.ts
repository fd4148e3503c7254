import type {
  GroupWrite,
  MetricCell,
  Population,
  RecordRow,
  RecordWrites,
} from '../../kernel/records.js';
import { addRow, chunksFor, type Chunks } from './chunks.js';
import { fillRow, foldedText } from './fill.js';
import type { Model } from './model.js';
import {
  facetColumns,
  foldedColumn,
  groupColumns,
  measuredColumn,
  ordinalsMax,
  populationOf,
  recordColumns,
  sessionsColumn,
  tableOf,
} from './schema.js';

/** What one apply adds. New numbers reach the model only once they are committed. */
export type Batch = {
  readonly model: Model;
  readonly refusedRuns: ReadonlySet<string>;
  readonly refusedProjects: ReadonlySet<string>;
  readonly newProjects: Map<string, number>;
  readonly newColumns: Map<string, number>;
  readonly records: Readonly<Record<Population, Chunks>>;
  readonly facets: Chunks;
  readonly groups: Chunks;
  nextGroup: number;
};

export const startBatch = (model: Model, writes: RecordWrites): Batch => ({
  model,
  refusedRuns: new Set([...model.deletedRuns, ...writes.deletedRuns]),
  refusedProjects: new Set([...model.deletedProjects, ...writes.deletedProjects]),
  newProjects: new Map(),
  newColumns: new Map(),
  records: {
    session: chunksFor(tableOf.session, recordColumns),
    trace: chunksFor(tableOf.trace, recordColumns),
    span: chunksFor(tableOf.span, recordColumns),
  },
  facets: chunksFor('facets', facetColumns),
  groups: chunksFor('groups', groupColumns),
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
    const size = kept.reduce((most, { ordinal }) => Math.max(most, ordinal + 1), 0);
    addRow(batch.groups, [grp, group, size]);
    for (const row of kept) addRecord(batch, row, grp);
  }
};

const addRecord = (batch: Batch, row: RecordRow, grp: number): void => {
  const population = populationOf(row.kind);
  const { model, newProjects, newColumns } = batch;
  const project = numberOf(String(row.values['project_id']), model.projects, newProjects);
  if (row.ordinal >= ordinalsMax) throw new RangeError('too many rows in one group');
  if ((row.ordinal === 0) !== (population !== 'span')) throw new RangeError('not its place');
  const place = { key: BigInt(grp * ordinalsMax + row.ordinal), grp, project };
  const filled = fillRow(batch.records[population], row, place, model.misfolded);
  const { metrics, measured, folded } = filled;
  for (const id of folded) numberOf(foldedColumn(population, id), model.columns, newColumns);
  if (population === 'session') numberOf(sessionsColumn, model.columns, newColumns);
  if (population === 'trace')
    for (const name of measured) numberOf(measuredColumn(name), model.columns, newColumns);
  addFacets(row, metrics, (column, { number, boolean, text, cell }) => {
    addRow(batch.facets, [
      place.key,
      grp,
      project,
      population,
      numberOf(column, model.columns, newColumns),
      number === null ? null : number + 0,
      boolean,
      text,
      text !== null && model.misfolded.test(text) ? foldedText(text) : null,
      cell?.rolledUp ?? null,
      cell?.first?.at ?? null,
      cell?.first?.type ?? null,
      cell?.first?.fraction ?? null,
    ]);
  });
};

type Facet = {
  readonly number: number | null;
  readonly boolean: boolean | null;
  readonly text: string | null;
  readonly cell: MetricCell | null;
};
const nothing: Facet = { number: null, boolean: null, text: null, cell: null };

const addFacets = (
  row: RecordRow,
  metrics: readonly (readonly [string, MetricCell])[],
  add: (column: string, facet: Facet) => void,
): void => {
  for (const [metric, cell] of metrics) {
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
