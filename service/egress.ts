import { openEgress } from '../engines/egress/egress.js';
import type { Egress } from '../kernel/egress.js';
import type { StartupContext } from './startup-context.js';

type ServiceEgress = {
  readonly egress: Egress;
  /** Ports that the egress refuses on this machine; a listener adds its own once it is bound. */
  readonly ownPorts: Set<number>;
};

/** Opens the egress of this process, which ends with the service. */
export const openServiceEgress = ({
  config,
  metrics,
  disposers,
}: Pick<StartupContext, 'config' | 'metrics' | 'disposers'>): ServiceEgress => {
  // A process without an API refuses its port too: another one of the service may have it.
  const ownPorts = new Set([config.port, config.opsPort]);
  const egress = openEgress({
    rules: config.egress,
    ownPorts: () => ownPorts,
    onRefused: metrics.operating.egressRefusal,
  });
  disposers.add('the egress', () => egress.close());
  return { egress, ownPorts };
};
