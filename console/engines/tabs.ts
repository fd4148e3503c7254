/** Messages between the tabs of one browser that show the console. */
type TabMessage =
  | { readonly type: 'token-wanted' }
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'signed-out' };

export type Tabs = {
  readonly send: (message: TabMessage) => void;
  /** Calls `take` with each message of another tab. Returns the unsubscription. */
  readonly subscribe: (take: (message: TabMessage) => void) => () => void;
  /** Runs `work` while no other tab runs it under the same name, where the browser has locks. */
  readonly exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};

export const openTabs = (window: Window & typeof globalThis): Tabs => {
  const channel = new window.BroadcastChannel('assay');
  // Without TLS a browser has no locks; parallel refreshes then agree (contract 2.3, rule 4).
  const locks = window.navigator.locks as LockManager | undefined;
  return {
    send: (message) => channel.postMessage(message),
    subscribe: (take) => {
      const listen = ({ data }: MessageEvent<TabMessage>): void => take(data);
      channel.addEventListener('message', listen);
      return () => channel.removeEventListener('message', listen);
    },
    exclusively: async (name, work) =>
      locks === undefined ? work() : await locks.request(`assay.${name}`, work),
  };
};
