import type { TabMessage, Tabs } from './tab-messages.js';

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
