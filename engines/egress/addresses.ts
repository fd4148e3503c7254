import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { EgressRefusal, EgressTarget } from '../../kernel/egress.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Metadata services of clouds, which give credentials to whoever can ask them. Refused although
 * listed; 168.63.129.16 (Azure) is a public address.
 */
const metadataAddresses: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
]);

export type AddressJudge = (target: EgressTarget, address: string) => EgressRefusal | null;

/** Judge of addresses before they are connected to; `ownPorts`: those of this service. */
export const openAddressJudge = (
  networks: readonly string[],
  ownPorts: () => ReadonlySet<number>,
): AddressJudge => {
  const listed = networks.map((network) => ipaddr.parseCIDR(network));
  return (target, text) => {
    if (!ipaddr.isValid(text)) return 'address';
    const address = embeddedAddress(ipaddr.parse(text));
    if (metadataAddresses.has(address.toString())) return 'metadata';
    if (ownPorts().has(target.port) && isOfThisMachine(address)) return 'own_port';
    if (target.isEndpoint) return null;
    if (listed.some(([network, bits]) => isWithin(address, network, bits))) return null;
    if (target.onlyNetworks) return 'host';
    return isPublic(ipaddr.parse(text)) ? null : 'address';
  };
};

/** IPv4 address that an IPv6 address leads to, by mapping or by NAT64; else the address. */
const embeddedAddress = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const isTranslated = address.range() === 'rfc6052' || address.range() === 'rfc6145';
  return isTranslated ? ipaddr.fromByteArray(address.toByteArray().slice(12)) : address;
};

const isWithin = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === network.kind() && address.match(network, bits);

const globalUnicast = ipaddr.IPv6.parse('2000::');

/** Public addresses: for IPv6 those of global unicast, 2000::/3, less its special ranges. */
const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address instanceof ipaddr.IPv4 || address.match(globalUnicast, 3));

const isOfThisMachine = (address: Address): boolean => {
  if (['loopback', 'unspecified'].includes(address.range())) return true;
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .some((own) => ipaddr.parse(own.address).toString() === address.toString());
};
