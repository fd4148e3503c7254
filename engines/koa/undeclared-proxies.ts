import type { Clock } from '../../kernel/ports.js';

/** Addresses that sent `X-Forwarded-For` and are not in `ASSAY_TRUSTED_PROXIES`. */
export type UndeclaredProxies = {
  readonly observe: (address: string) => void;
  /** A warning about the last such address of the past hour; else empty. */
  readonly warnings: () => readonly string[];
};

/** A proxy in use is seen again within this time. */
const warningMs = 3_600_000;

export const openUndeclaredProxies = (clock: Pick<Clock, 'milliseconds'>): UndeclaredProxies => {
  let last: { readonly address: string; readonly at: number } | null = null;
  return {
    observe: (address) => {
      last = { address, at: clock.milliseconds() };
    },
    warnings: () =>
      last === null || clock.milliseconds() - last.at >= warningMs
        ? []
        : [
            `X-Forwarded-For from ${last.address}, which is not in ASSAY_TRUSTED_PROXIES: its ` +
              'clients count as one address. If it is your proxy, declare it; any client can ' +
              'send the header',
          ],
  };
};
