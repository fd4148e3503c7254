import type { Position, StreamName } from '../../kernel/ports.js';

/**
 * Names of the log's streams. They share a prefix, so that a server filters by it and may serve
 * others as well. `<space>.<stream>` holds a stream's events, `<space>:parts.<stream>` the parts of
 * events too large for one append, `<space>:erased` is the register of erased streams, and
 * `<space>:erased.<bucket>` holds the envelopes of their events.
 */
export type StreamNaming = {
  /** Prefix of all streams with events. */
  readonly prefix: string;
  readonly erasedRegister: string;
  eventsOf(stream: StreamName): string;
  partsOf(stream: StreamName): string;
  envelopesOf(bucket: Bucket): string;
  /** Null for a stream of another kind or another log. */
  streamOf(name: string): StreamName | null;
};

/**
 * Bucket of the log: 16 MiB, named by the leading digits of its positions; some thousand events, so
 * that a reader of one page reads little more.
 */
export type Bucket = string;
const bucketDigits = 10;
export const bucketOf = (position: Position): Bucket => position.slice(0, bucketDigits);

const spaceForm = /^[A-Za-z0-9_]{1,64}$/;

/** Throws TypeError for a space that could be mistaken for another or for a system stream. */
export const openStreamNaming = (space: string): StreamNaming => {
  if (!spaceForm.test(space))
    throw new TypeError('a space must be 1 to 64 characters of A-Z, a-z, 0-9 and _');
  const prefix = `${space}.`;
  return {
    prefix,
    erasedRegister: `${space}:erased`,
    eventsOf: (stream) => `${prefix}${stream}`,
    partsOf: (stream) => `${space}:parts.${stream}`,
    envelopesOf: (bucket) => `${space}:erased.${bucket}`,
    streamOf: (name) =>
      name.startsWith(prefix) ? (name.slice(prefix.length) as StreamName) : null,
  };
};
