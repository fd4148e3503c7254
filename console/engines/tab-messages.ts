/** Messages between the tabs of one browser that show the console; `person` is the id of a user. */
export type TabMessage =
  | { readonly type: 'token-wanted' }
  /** `aheadMs`: how far the service's clock is ahead of the browser's. */
  | { readonly type: 'token'; readonly token: string; readonly aheadMs?: number }
  /** A login of this person has the refresh cookie of the browser from now on. */
  | { readonly type: 'signed-in'; readonly person: string }
  | { readonly type: 'signed-out'; readonly person: string };

export type Tabs = {
  readonly send: (message: TabMessage) => void;
  /** Calls `take` with each message of another tab. Returns the unsubscription. */
  readonly subscribe: (take: (message: TabMessage) => void) => () => void;
  /** Runs `work` while no other tab runs it under the same name, where the browser has locks. */
  readonly exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};
