/**
 * True if an `Accept-Encoding` header names the coding, itself or by `*`, with a weight above zero
 * (RFC 9110, 12.5.3). False without the header, although the standard allows any coding then: old
 * clients that send none do not decode.
 */
export const acceptsCoding = (header: string, coding: 'br' | 'gzip'): boolean => {
  const weights = new Map(header.toLowerCase().split(',').map(weightedCoding));
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
};

/** Name and weight of one item: `gzip;q=0.5`; a malformed weight counts as zero. */
const weightedCoding = (item: string): readonly [string, number] => {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const value = weight === undefined ? 1 : Number(weight.slice('q='.length));
  return [name, value > 0 ? value : 0];
};
