import { randomBytes } from 'node:crypto';
import type { Random } from '../../kernel/ports.js';

export const systemRandom: Random = { bytes: (count) => randomBytes(count) };
