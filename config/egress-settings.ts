import { egressModes, type EgressRules } from '../kernel/egress.js';
import { parseAllowList } from '../kernel/egress-allow-list.js';
import { Fault } from '../kernel/fault.js';

export const egressVariables = [
  {
    name: 'ASSAY_EGRESS',
    fallback: 'public',
    meaning: 'hosts that the service calls for its users: public, listed, or off',
  },
  {
    name: 'ASSAY_EGRESS_ALLOW',
    fallback: 'none',
    meaning: 'comma list of hosts it may call: names, host:port (also http, private), networks',
  },
] as const;
type EgressVariable = (typeof egressVariables)[number]['name'];

/** Throws Fault `invalid` naming the variable and what is allowed. */
export const readEgressRules = (
  text: (name: EgressVariable, fallback: string) => string,
): EgressRules => {
  const given = text('ASSAY_EGRESS', 'public');
  const mode = egressModes.find((known) => known === given);
  if (mode === undefined) {
    throw new Fault('invalid', `ASSAY_EGRESS must be one of ${egressModes.join(', ')}`);
  }
  const list = parseAllowList(text('ASSAY_EGRESS_ALLOW', ''));
  if ('malformed' in list) {
    throw new Fault(
      'invalid',
      'ASSAY_EGRESS_ALLOW must be a comma list of names (api.example.com), host:port ' +
        `(127.0.0.1:9090) and networks (10.0.0.0/8); not '${list.malformed}'`,
    );
  }
  return { mode, ...list };
};
