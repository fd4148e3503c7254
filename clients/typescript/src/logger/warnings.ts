import { isFault, type AssayFaultCode } from '../fault.js';
import type { Loss } from './queue.js';

/** Writes a line about a matter at most once a minute. Never throws. */
export type Warn = (matter: string, line: string) => void;

const warningIntervalMs = 60_000;
/** Limit of distinct matters in a minute, as their texts may differ each time. */
const mattersMax = 20;

/** `now`: a monotonic clock in milliseconds. */
export const openWarnings = (
  write: (line: string) => void,
  now: () => number = () => performance.now(),
): Warn => {
  const said = new Map<string, number>();
  return (matter, line) => {
    for (const [one, at] of said) if (now() - at >= warningIntervalMs) said.delete(one);
    if (said.has(matter) || said.size >= mattersMax) return;
    said.set(matter, now());
    try {
      write(`assay: ${line}`);
    } catch {
      // A failing hook must not crash the program.
    }
  };
};

/** A line that names the cause and what to do about it. */
export const lossLine = ({ reason, lost, error }: Loss, url: string): string => {
  const count = `${lost} ${lost === 1 ? 'record' : 'records'} lost`;
  const said = error === null ? '' : `: ${error.message}`;
  if (reason === 'full') return `${count}: more than bytesMax waits for ${url}${said}`;
  if (reason === 'left') return `${count}: the client was closed before ${url} took them${said}`;
  const advice = isFault(error) ? adviceByCode[error.code] : undefined;
  return `${count}${said}${advice === undefined ? '' : `; ${advice}`}`;
};

const adviceByCode: { readonly [code in AssayFaultCode]?: string } = {
  unauthenticated: 'set ASSAY_API_KEY, or give new Assay({ apiKey })',
  invalid_credentials: 'check ASSAY_API_KEY',
  token_expired: 'give new Assay({ token }) a newer one',
  forbidden: 'logging takes a key with the role editor in the project',
  not_found: 'check ASSAY_PROJECT, and that the key may see that project',
  unreadable: 'check ASSAY_URL: what answers there may not be Assay',
};
