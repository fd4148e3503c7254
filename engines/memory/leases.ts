import type { Clock, Leases } from '../../kernel/ports.js';

/** Leases within one process, with fencing tokens; they end with it. */
export const openMemoryLeases = (clock: Clock): Leases => {
  type Held = { readonly holder: string; readonly until: number; readonly fence: number };
  const held = new Map<string, Held>();
  return {
    acquire: async (name, holder, milliseconds) => {
      const now = clock.milliseconds();
      const known = held.get(name);
      const isOurs = known?.holder === holder;
      if (known !== undefined && !isOurs && known.until > now) return null;
      const fence = isOurs ? known.fence : (known?.fence ?? 0) + 1;
      held.set(name, { holder, until: now + milliseconds, fence });
      return fence;
    },
    release: async (name, holder) => {
      const known = held.get(name);
      if (known?.holder === holder) held.set(name, { ...known, holder: '', until: 0 });
    },
    close: async () => undefined,
  };
};
