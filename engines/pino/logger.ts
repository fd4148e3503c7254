import { pino, type DestinationStream } from 'pino';

/**
 * Longest text logged: an engine's error may quote a whole statement or value, and the useful part
 * comes first.
 */
const textMax = 4_096;
const itemsMax = 100;
const levelsMax = 4;

/**
 * Truncates a log line's fields and redacts secret members in one walk: pino's own redaction by
 * path took as long as all the rest of a line.
 */
const redactAndTruncate = (
  value: unknown,
  secrets: ReadonlySet<string>,
  level: number,
): unknown => {
  if (typeof value === 'string') {
    return value.length <= textMax ? value : `${value.slice(0, textMax)}… (${value.length})`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (level === levelsMax) return '…';
  if (Array.isArray(value)) {
    return value.slice(0, itemsMax).map((item) => redactAndTruncate(item, secrets, level + 1));
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, itemsMax)
      .map(([name, member]) => [
        name,
        secrets.has(name) ? '[redacted]' : redactAndTruncate(member, secrets, level + 1),
      ]),
  );
};

/**
 * Logger of one JSON line per call. `fields` never hold a body, a credential, a query string or a
 * path with its values.
 */
export type Logger = {
  readonly debug: (fields: LogFields, text: string) => void;
  readonly info: (fields: LogFields, text: string) => void;
  readonly warn: (fields: LogFields, text: string) => void;
  readonly error: (fields: LogFields, text: string) => void;
};
type LogFields = Readonly<Record<string, unknown>>;

/**
 * Opens the logger. `secrets` are the members that operations mark `x-secret`
 * (contract/secrets.ts): logged by mistake, they become `[redacted]`. An empty list is rejected:
 * the marks must have been lost.
 */
export const openLogger = ({
  level,
  secrets,
  destination,
}: {
  readonly level: string;
  readonly secrets: readonly string[];
  readonly destination?: DestinationStream;
}): Logger => {
  if (secrets.length === 0)
    throw new Error('no member is marked x-secret: nothing would be redacted');
  const names = new Set([...secrets, 'authorization', 'cookie', 'password', 'secret', 'token']);
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    formatters: {
      log: (fields: Record<string, unknown>) =>
        redactAndTruncate(fields, names, 0) as typeof fields,
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
};
