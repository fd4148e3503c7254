import { parseJsonText } from '../../kernel/json-text.js';
import { readResponseText } from '../node/response-text.js';
import type { Files } from '../../kernel/ports.js';
import type { KeySource } from './key-set.js';

/** Target D5. */
const timeoutMs = 3_000;
const bytesMax = 262_144;

/** JWK set at a configured address: no redirects, 3 s, 256 KiB. */
export const remoteKeys =
  (address: string): KeySource =>
  async () => {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { Accept: 'application/jwk-set+json, application/json' };
    const response = await fetch(address, { redirect: 'error', signal, headers });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`${address} answered ${response.status}`);
    }
    const text = await readResponseText(response, bytesMax);
    if (text === null) throw new Error(`${address} answered more than ${bytesMax} bytes`);
    return parseJsonText(text);
  };

/** JWK set in a file, re-read at each fetch: it may be replaced. */
export const fileKeys =
  (files: Pick<Files, 'read'>, path: string): KeySource =>
  async () => {
    const bytes = await files.read(path);
    if (bytes === null) throw new Error(`${path} is not there`);
    return parseJsonText(Buffer.from(bytes).toString('utf8'));
  };
