import { Type } from 'typebox';
import type { JsonObject } from '../../kernel/schema-types.js';
import { cutTexts } from './answer-limit.js';
import {
  nameContains,
  nameFilters,
  pageMembers,
  readTool,
  writeResult,
  writeTool,
  type McpPage,
  type McpTool,
} from './tool.js';

const listDatasets = readTool({
  name: 'list_datasets',
  title: 'Datasets',
  description: 'The datasets that the key sees, with their columns and how many rows they have.',
  list: 'datasets',
  members: {
    ...nameContains,
    in_project: Type.Optional(
      Type.String({ description: 'Only those linked to this project: its name or id.' }),
    ),
    ...pageMembers(50, 200),
  },
  run: async (asked, { call, names }) => {
    const { name_contains, in_project, limit = 50, starting_token = 0 } = asked;
    const linked =
      in_project === undefined
        ? []
        : [{ name: 'used_in_project', value: await names.project(in_project) }];
    const { body } = await call<McpPage<'datasets', JsonObject>>('POST', '/datasets/query', {
      body: { filters: [...nameFilters(name_contains), ...linked], limit, starting_token },
    });
    return {
      head: {},
      items: body.datasets.map(shownDataset),
      start: starting_token,
      next: body.next_starting_token,
      hint: 'name_contains makes the list shorter',
    };
  },
});

const shownDataset = (dataset: JsonObject): JsonObject => {
  const { id = '', name = '', num_rows = null, column_names = [], created_at = null } = dataset;
  const version = dataset['current_version_index'] ?? null;
  const isDraft = dataset['draft'] === true;
  return { id, name, num_rows, column_names, version, created_at, ...(isDraft && { draft: true }) };
};

type Row = JsonObject & { readonly values_dict: JsonObject };
const cellCharacters = 500;

const readRows = readTool({
  name: 'read_dataset_rows',
  title: 'Rows of a dataset',
  description: 'Rows of a dataset, in order, with the id of each; any version that it ever had.',
  list: 'rows',
  members: {
    dataset: Type.String({ description: 'Name or id, see list_datasets.' }),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'The index of a version; left out: the newest.' }),
    ),
    text_chars: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        default: cellCharacters,
        description: 'Each cell is cut to this many characters.',
      }),
    ),
    ...pageMembers(20, 500),
  },
  run: async (asked, { call, names }) => {
    const { limit = 20, starting_token = 0, text_chars = cellCharacters } = asked;
    const root = `/datasets/${await names.dataset(asked.dataset)}`;
    const version = asked.version === undefined ? '' : `/versions/${asked.version}`;
    const [dataset, content] = await Promise.all([
      call<JsonObject>('GET', root),
      call<McpPage<'rows', Row> & { readonly column_names: readonly string[] }>(
        'GET',
        `${root}${version}/content`,
        { query: { limit, starting_token } },
      ),
    ]);
    const { rows, column_names, next_starting_token } = content.body;
    const window = { start: 0, characters: text_chars };
    return {
      head: { dataset: { ...shownDataset(dataset.body), column_names } },
      items: rows.map(({ row_id = '', index = null, values_dict }) => ({
        row_id,
        index,
        values: cutTexts(values_dict, window),
      })),
      start: starting_token,
      next: next_starting_token,
      hint: 'a smaller text_chars makes it shorter',
    };
  },
});

/** Tools that read datasets. */
export const datasetTools: readonly McpTool[] = [listDatasets, readRows];

const rows = (least: number) =>
  Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    minItems: least,
    maxItems: 1_000,
    description:
      'Each an object from column to cell: [{"question": "To Oslo?", "answer": "booked"}]. A ' +
      'cell is a text, a number, null or a flat object of these.',
  });

const createDataset = writeTool({
  name: 'create_dataset',
  title: 'Create a dataset',
  description: 'Creates a dataset from rows. A name that is taken is refused.',
  effect: 'adds',
  repeatable: false,
  members: {
    name: Type.String({ minLength: 1 }),
    rows: Type.Optional(rows(0)),
    in_project: Type.Optional(
      Type.String({ description: 'The project that it belongs to: its name or id.' }),
    ),
  },
  run: async ({ name, rows = [], in_project }, { call, names }) => {
    const form = new FormData();
    form.set('name', name);
    if (in_project !== undefined) form.set('project_id', await names.project(in_project));
    if (rows.length > 0) form.set('file', new Blob([JSON.stringify(rows)]), 'rows.json');
    const query = rows.length > 0 ? { format: 'json' } : {};
    const { body } = await call<JsonObject>('POST', '/datasets', { form, query });
    return writeResult({ created: shownDataset(body) });
  },
});

const addRows = writeTool({
  name: 'add_dataset_rows',
  title: 'Add rows to a dataset',
  description:
    'Adds rows at the end of a dataset, as one new version; versions before stay readable. A ' +
    'column that the dataset lacks is refused.',
  effect: 'adds',
  repeatable: false,
  members: {
    dataset: Type.String({ description: 'Name or id, see list_datasets.' }),
    rows: rows(1),
  },
  run: async ({ dataset, rows }, { call, names }) => {
    const root = `/datasets/${await names.dataset(dataset)}`;
    const edits = rows.map((values) => ({ edit_type: 'append_row', values }));
    await call('PATCH', `${root}/content`, {
      body: { edits },
      place: (loc) =>
        loc
          .slice(1)
          .join('.')
          .replace(/^edits/, 'rows')
          .replace('.values', ''),
    });
    const { body } = await call<JsonObject>('GET', root);
    return writeResult({ rows_added: rows.length, dataset: shownDataset(body) });
  },
});

/** Tools that `--write` adds. */
export const datasetWriteTools: readonly McpTool[] = [createDataset, addRows];
