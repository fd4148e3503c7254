/**
 * Network that an address counts as: for IPv6 its /64 prefix, since a client with one address has
 * them all.
 */
export const networkPrefix = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::', 2) ?? [];
  const front = head.split(':').filter((group) => group !== '');
  if (tail === undefined) return front.slice(0, 4).join(':');
  const back = tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  return [...front, ...zeros, ...back].slice(0, 4).join(':');
};
