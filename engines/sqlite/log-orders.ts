/** What crosses between the accepting thread and the log writer's. */
export type Order = {
  readonly id: number;
  /** Of all event data: what bounds a transaction. */
  readonly bytes: number;
  readonly batch: readonly {
    readonly stream: string;
    /** -1 for a stream that must not exist. */
    readonly expected: number;
    readonly events: readonly {
      readonly id: string;
      readonly type: string;
      readonly data: string;
      readonly metadata: string;
    }[];
  }[];
  readonly erase: string | null;
};

/** Position number of the last event of the append. */
export type Written = number | 'conflict';

/** `id` 0 belongs to no order: the writer is ready, or failed on its own account. */
export type Outcome =
  | { readonly id: number; readonly written: readonly Written[]; readonly last: number }
  | { readonly id: number; readonly failed: { readonly full: boolean; readonly cause: string } };
