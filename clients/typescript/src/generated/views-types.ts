// Written by npm run generate from the contract: change that.

export type ChangeView = {
  /** Name of the view, 1 to 255 characters; null: unchanged. */
  readonly name?: string | null;
  /** Text from which the page restores the view; null: unchanged. */
  readonly state?: string | null;
  /** True shares the view, false makes it private; null: unchanged. */
  readonly is_shared?: boolean | null;
};

export type CreateView = {
  /** Name of the view, 1 to 255 characters. */
  readonly name: string;
  /** Name of the page that it is a view of, 1 to 64 characters. */
  readonly page: string;
  /** Text from which the page restores the view, at most 4,096 characters. */
  readonly state: string;
  /**
   * True shows the view to every reader of the project, false to its creator only. Default:
   * false.
   */
  readonly is_shared?: boolean | null;
};

export type SavedView = {
  /** Id of the view. */
  readonly id: string;
  /** Name of the view, unique among those of its page that are shared, or private. */
  readonly name: string;
  /** Name of the page that it is a view of. */
  readonly page: string;
  /** Text from which the page restores the view; the service does not read it. */
  readonly state: string;
  /** True shows the view to every reader of the project, false to its creator only. */
  readonly is_shared: boolean;
  /** Id of the user who saved it first. */
  readonly created_by: string;
  /** Time when it was saved first. */
  readonly created_at: string;
  /** Time when it was saved last. */
  readonly updated_at: string;
};
