/** Connection limits of contract 1.11, and those derived from it. */
export const defaultConnectionLimits = {
  /** Four times the concurrent requests: client connections are idle most of the time. */
  connectionsMax: 2_048,
  /** All concurrent requests of one address; trusted proxies may have more connections. */
  connectionsPerAddressMax: 512,
  /**
   * Pipelining clients send some ten requests ahead; each is in memory until the earlier ones are
   * answered.
   */
  requestsPerConnectionMax: 32,
  /** A network resumes sending within this time after an interruption; 15 s would cut some. */
  silentMsMax: 30_000,
  /**
   * Deadlines of a connection without a valid credential while more than half of the connections
   * are taken. Operations without a credential have small bodies: a login takes a fraction of this.
   */
  anonymousHeadMsMax: 3_000,
  anonymousBodyMsMax: 5_000,
  /**
   * Connections a second that are cut by these deadlines, or for a new one of their own network: an
   * attacker reconnects at once, and each connection takes up to half a millisecond.
   */
  replacedPerSecondMax: 100,
  /** A hundredth of what a poor mobile connection does. */
  bytesPerSecondMin: 1_024,
  /**
   * Each chunk of a chunked body costs some microseconds and hundreds of bytes, however small it
   * is. A body may have this many chunks and one more for each `chunkBytesMin` of it: a mebibyte in
   * pieces of 128 bytes, more in larger ones.
   */
  smallChunksMax: 4_096,
  chunkBytesMin: 256,
} as const;
export type ConnectionLimits = { readonly [Limit in keyof typeof defaultConnectionLimits]: number };
