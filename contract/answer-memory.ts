/**
 * Reserves memory for the answer to a read (contract 1.11) before its data is read; the reservation
 * ends when the client has received the answer. Without one, memory is reserved when the answer is
 * complete.
 */
export type AnswerMemory = {
  /**
   * Resolves once there is room for that many bytes; other requests are worked on meanwhile.
   * Rejects with the reason of `signal`.
   */
  readonly reserve: (bytes: number) => Promise<void>;
  /** As many bytes as there is room for now; never less than a small amount. */
  readonly reserveUpTo: (bytesMax: number) => number;
};
