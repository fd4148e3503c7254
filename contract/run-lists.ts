import { Type, type TArray, type TObject, type TSchema } from 'typebox';
import { id } from '../kernel/schema-types.js';
import { envelope, pageMembers, plainListMax } from './envelope.js';
import { operation, type Operation } from './operation.js';

/** Query member of reads that count the records of runs. */
export const counts = { include_counts: Type.Optional(Type.Boolean({ default: false })) };

const inProject = Type.Object({ project_id: id('ProjectId') });
const countsQuery = Type.Object(counts);
const pageQuery = Type.Object({ ...pageMembers, ...counts });

/** Operations of the lists that all kinds of runs have alike. */
export type RunLists<List extends string, R extends TSchema> = {
  /** Member of a page that holds the runs. */
  readonly member: List;
  readonly list: Operation<typeof inProject, typeof countsQuery, TSchema, TArray<R>>;
  readonly page: Operation<typeof inProject, typeof pageQuery>;
};

/** Differences between the lists of the kinds of runs. */
type RunListSpec<List extends string, R extends TSchema, Q extends TObject, B extends TSchema> = {
  /** Name of the kind in the plural: of the list's member and path, and in ids of operations. */
  readonly list: List;
  readonly plural: string;
  readonly record: R;
  readonly search: Pick<Operation<TObject, Q, B>, 'description' | 'example' | 'section'> & {
    readonly query: Q;
    readonly body: B;
  };
};

/** Operations that list, page and search the runs of one kind (contract 4.6, 5.5). */
export const runLists = <
  List extends string,
  R extends TSchema,
  Q extends TObject,
  B extends TSchema,
>({
  list,
  plural,
  record,
  search,
}: RunListSpec<List, R, Q, B>) => {
  const path = `/v2/projects/{project_id}/${list}`;
  const summary = `${plural} of a project`;
  const operationName = plural.replaceAll(/ (.)/g, (_, letter: string) => letter.toUpperCase());
  const shared = {
    section: '5.5',
    requires: 'viewer',
    params: inProject,
  } as const;
  return {
    member: list,
    list: operation({
      ...shared,
      operationId: `list${operationName}`,
      summary,
      description: 'At most 1,000; counts are null unless requested.',
      method: 'GET',
      path,
      query: countsQuery,
      response: Type.Array(record, { maxItems: plainListMax }),
    }),
    page: operation({
      ...shared,
      operationId: `page${operationName}`,
      summary: `${summary}, paged`,
      description: 'Counts are null unless requested.',
      method: 'GET',
      path: `${path}/paginated`,
      query: pageQuery,
      response: envelope(list, record),
    }),
    search: operation({
      ...shared,
      operationId: `search${operationName}`,
      summary: `${summary}, filtered, sorted and paged`,
      method: 'POST',
      path: `${path}/search`,
      kind: 'r',
      response: envelope(list, record),
      ...search,
    }),
  };
};
