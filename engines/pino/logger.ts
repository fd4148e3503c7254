import { pino, type DestinationStream } from 'pino';

/**
 * One JSON line each. `fields` never hold a body, a credential, a query string or a path with its
 * values.
 */
export type Logger = {
  readonly debug: (fields: LogFields, text: string) => void;
  readonly info: (fields: LogFields, text: string) => void;
  readonly warn: (fields: LogFields, text: string) => void;
  readonly error: (fields: LogFields, text: string) => void;
};
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * `secrets` are the members that operations mark `x-secret` (contract/secrets.ts): wherever one is
 * logged by mistake, down to the third level, `[redacted]` stands in its place. An empty list is
 * refused: the marks must have been lost.
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
  const names = [...secrets, 'authorization', 'cookie', 'password', 'secret', 'token'];
  const paths = names.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const options = {
    level,
    redact: { paths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
  };
  return destination === undefined ? pino(options) : pino(options, destination);
};
