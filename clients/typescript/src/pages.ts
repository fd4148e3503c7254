/**
 * The answer of a list or a search. Awaited it is the first page; with `for await` it is every row,
 * page after page, each requested when the previous one is used up.
 */
export type Paged<Page, Row> = Promise<Page> &
  AsyncIterable<Row> & { readonly pages: () => AsyncIterable<Page> };

/** Cursor: a number in contract 1.10, an opaque text in contract 5.14; null on the last page. */
type Next = {
  readonly next_starting_token?: number | null;
  readonly next_cursor?: string | null;
};

/** `ask` requests the page that these members of the input select; without any, the first. */
export const paged = <Page, Row>(
  ask: (next: Readonly<Record<string, unknown>>) => Promise<Page>,
  list: string,
): Paged<Page, Row> => {
  const first = ask({});
  async function* pages(): AsyncGenerator<Page> {
    for (let page = await first; ;) {
      yield page;
      const next = nextOf(page as Next);
      if (next === null) return;
      page = await ask(next);
    }
  }
  async function* rows(): AsyncGenerator<Row> {
    for await (const page of pages()) {
      yield* (page as Readonly<Record<string, readonly Row[]>>)[list] ?? [];
    }
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: rows });
};

const nextOf = (page: Next): Readonly<Record<string, unknown>> | null => {
  if (page.next_starting_token != null) return { starting_token: page.next_starting_token };
  return page.next_cursor == null ? null : { cursor: page.next_cursor };
};
