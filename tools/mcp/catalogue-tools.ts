import { Type } from 'typebox';
import { oneOf, type JsonObject } from '../../kernel/schema-types.js';
import { operatorsOf } from './conditions.js';
import {
  boundMember,
  nameContains,
  nameFilters,
  pageMembers,
  projectMember,
  readTool,
  runMembers,
  type McpPage,
  type McpTool,
} from './tool.js';

type ListedProject = JsonObject & { readonly runs: readonly unknown[] };

const listProjects = readTool({
  name: 'list_projects',
  title: 'Projects',
  description: 'The projects that the key sees. A project holds log streams and experiments.',
  list: 'projects',
  members: { ...nameContains, ...pageMembers(50, 200) },
  run: async ({ name_contains, limit = 50, starting_token = 0 }, { call }) => {
    const { body } = await call<McpPage<'projects', ListedProject>>('POST', '/projects/paginated', {
      body: { filters: nameFilters(name_contains), limit, starting_token },
    });
    return {
      head: {},
      items: body.projects.map(({ id = '', name = '', description, labels, created_at, runs }) => ({
        id,
        name,
        ...(description && { description }),
        ...(Array.isArray(labels) && labels.length > 0 && { labels }),
        created_at: created_at ?? null,
        runs: runs.length,
      })),
      start: starting_token,
      next: body.next_starting_token,
      hint: 'name_contains makes the list shorter',
    };
  },
});

const listLogStreams = readTool({
  name: 'list_log_streams',
  title: 'Log streams',
  description: 'The log streams of a project: where an application logs its traces.',
  list: 'log_streams',
  members: { ...projectMember, ...nameContains, ...pageMembers(50, 200) },
  run: async (asked, { call, names }) => {
    const { name_contains, limit = 50, starting_token = 0 } = asked;
    const projectId = await names.project(asked.project);
    const path = `/projects/${projectId}/log_streams/search`;
    const { body } = await call<McpPage<'log_streams', JsonObject>>('POST', path, {
      body: { filters: nameFilters(name_contains), limit, starting_token },
    });
    return {
      head: { project_id: projectId },
      items: body.log_streams.map(({ id = '', name = '', created_at = null }) => ({
        id,
        name,
        created_at,
      })),
      start: starting_token,
      next: body.next_starting_token,
      hint: 'name_contains makes the list shorter',
    };
  },
});

type Column = JsonObject & {
  readonly id: string;
  readonly filter_type: string;
  readonly is_empty: boolean;
};

const listColumns = readTool({
  name: 'list_columns',
  title: 'Columns',
  description:
    'What traces, spans or sessions can be filtered, sorted and grouped by: standard columns, ' +
    'metrics/NAME and user_metadata/KEY, with the operators that each takes. Look here first ' +
    'when you do not know what was recorded. Columns ' +
    'without any value are left out unless asked for.',
  list: 'columns',
  members: {
    ...projectMember,
    population: Type.Optional(oneOf(['traces', 'spans', 'sessions'])),
    ...runMembers,
    name_contains: Type.Optional(Type.String({ description: 'Only columns with this in the id.' })),
    include_empty: Type.Optional(Type.Boolean({ default: false })),
    starting_token: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    ...boundMember,
  },
  run: async (asked, { call, names }) => {
    const { population = 'traces', name_contains = '', starting_token = 0 } = asked;
    const projectId = await names.project(asked.project);
    const path = `/projects/${projectId}/${population}/available_columns`;
    const { body } = await call<{ readonly columns: readonly Column[] }>('POST', path, {
      body: await names.run(projectId, asked),
    });
    const chosen = body.columns
      .filter((column) => asked.include_empty === true || !column.is_empty)
      .filter(({ id }) => id.toLowerCase().includes(name_contains.toLowerCase()));
    return {
      head: { population, operators: operatorsOf },
      items: chosen.slice(starting_token).map(columnShown),
      start: starting_token,
      next: null,
      hint: 'name_contains makes the list shorter',
    };
  },
});

const columnShown = (column: Column): JsonObject => {
  const { id, description = '', data_type = '', data_unit, allowed_values, is_empty } = column;
  return {
    id,
    kind: column.filter_type,
    data_type,
    ...(data_unit !== undefined && { unit: data_unit }),
    ...(id.includes('/') ? {} : { description }),
    ...(allowed_values !== undefined && { allowed_values }),
    ...(column['sortable'] === false && { sortable: false }),
    ...(is_empty && { is_empty }),
  };
};

const listTemplates = readTool({
  name: 'list_annotation_templates',
  title: 'Annotation templates',
  description: 'What traces of a project can be rated by, and which values each template takes.',
  list: 'templates',
  members: {
    ...projectMember,
    starting_token: Type.Optional(Type.Integer({ minimum: 0, default: 0 })),
    ...boundMember,
  },
  run: async ({ project, starting_token = 0 }, { call, names }) => {
    const projectId = await names.project(project);
    const path = `/projects/${projectId}/annotation/templates`;
    const { body } = await call<readonly JsonObject[]>('GET', path);
    const shown = body.map(({ id = '', name = '', criteria = null, constraints = null }) => ({
      id,
      name,
      criteria,
      constraints,
    }));
    return {
      head: { project_id: projectId },
      items: shown.slice(starting_token),
      start: starting_token,
      next: null,
      hint: 'they are in the order of the project',
    };
  },
});

/** Tools that list projects, log streams, columns and templates. */
export const catalogueTools: readonly McpTool[] = [
  listProjects,
  listLogStreams,
  listColumns,
  listTemplates,
];
