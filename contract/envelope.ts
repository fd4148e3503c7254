import { Type, type TSchema } from 'typebox';
import { nullish, namedSchema, schemaNameOf, nullable } from '../kernel/schema-types.js';

/** Page sizes of contract 1.10. */
export const pageLimitMax = 1_000;
export const defaultPageLimit = 100;
/** Limit of lists without pages (contract 5.4, 5.5). */
export const plainListMax = 1_000;

/** Header of a list without pages that was cut (contract 1.13). */
export const moreRowsHeader = (more: boolean) => ({ 'X-More-Rows': more ? ['true'] : [] });

const startingToken = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 });
const limit = Type.Integer({ minimum: 1, maximum: pageLimitMax, default: defaultPageLimit });

/** Offset pagination members, as query parameters or in a search body. */
export const pageMembers = {
  starting_token: Type.Optional(startingToken),
  limit: Type.Optional(limit),
};
export const paged = Type.Object(pageMembers);

/**
 * Page envelope of contract 1.10 with its one list; that of `LogStream` is named `LogStreamPage`.
 */
export const envelope = <Name extends string, T extends TSchema>(list: Name, item: T) =>
  namedSchema(
    `${schemaNameOf(item) ?? list}Page`,
    Type.Object({
      starting_token: Type.Integer(),
      limit: Type.Integer(),
      paginated: Type.Boolean(),
      next_starting_token: nullable(Type.Integer()),
      ...({ [list]: Type.Array(item) } as {
        readonly [K in Name]: ReturnType<typeof Type.Array<T>>;
      }),
    }),
  );

/** Pagination members of a body of contract 5, where null means absence. */
export const pageMembersOrNull = { starting_token: nullish(startingToken), limit: nullish(limit) };

export type PageRequest = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
};
type PageInfo = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
};

/** Page members next to the list: `paginated` exactly when this page is not the whole result. */
export const pageInfo = (page: PageRequest, rows: number, more: boolean): PageInfo => {
  const start = page.starting_token ?? 0;
  return {
    starting_token: start,
    limit: page.limit ?? defaultPageLimit,
    paginated: more || start > 0,
    next_starting_token: more ? start + rows : null,
  };
};

/** Response of deletions and similar operations: one sentence. */
export const message = namedSchema('Message', Type.Object({ message: Type.String() }));
