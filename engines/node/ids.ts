import { hash, randomUUID } from 'node:crypto';
import type { Ids } from '../../kernel/ports.js';
import type { Brand } from '../../kernel/schema-types.js';

/**
 * Random ids, and ids derived from the parts that they identify (SHA-256); both in the version-4
 * layout of RFC 9562.
 */
export const randomIds: Ids = {
  next: <Name extends string>(_name: Name) => randomUUID() as string as Brand<string, Name>,
  derive: <Name extends string>(name: Name, ...parts: readonly string[]) => {
    // Lengths keep ('ab', 'c') and ('a', 'bc') apart.
    const hex = hash('sha256', [name, ...parts].map((part) => `${part.length}:${part}`).join(''));
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-') as Brand<string, Name>;
  },
};
