/**
 * Reserves memory for the response of a read (contract 1.11) before its data is read; the
 * reservation ends when the client has received the response. Without one, memory is reserved when
 * the response is complete.
 */
export type AnswerMemory = {
  /**
   * Resolves once that many bytes are free; the event loop serves other requests meanwhile. Rejects
   * with the reason of `signal`.
   */
  readonly reserve: (bytes: number) => Promise<void>;
  /** Reserves as many bytes as are free now; never less than a small minimum. */
  readonly reserveUpTo: (bytesMax: number) => number;
};
