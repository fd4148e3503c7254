/** Contract 1.11, and what follows from it. */
export const defaultConnectionLimits = {
  /** Four times as many as requests at work: connections of clients rest most of the time. */
  connectionsMax: 2_048,
  /** All that the service works on at once, of one address; proxies that are trusted have more. */
  connectionsPerAddressMax: 512,
  /**
   * Clients that send ahead send some ten; each lies in memory until those before it are answered.
   */
  requestsPerConnectionMax: 32,
  /** A network that came back after a break sends again within this; its half would cut some. */
  silentMsMax: 30_000,
  /**
   * Deadlines of a connection without a valid credential while more than half of the connections
   * are taken. What needs no credential has small bodies: a login takes a fraction of this.
   */
  anonymousHeadMsMax: 3_000,
  anonymousBodyMsMax: 5_000,
  /**
   * Connections a second that are cut by these deadlines, or for a new one of their own network: an
   * attacker connects again at once, and each connection takes up to half a millisecond.
   */
  replacedPerSecondMax: 100,
  /** A hundredth of what a poor mobile connection does. */
  bytesPerSecondMin: 1_024,
  /**
   * Each chunk of a chunked body costs some microseconds and hundreds of bytes, however small it
   * is. A body may come in so many and one more for each `chunkBytesMin` of it: a mebibyte in
   * pieces of 128 bytes, more in larger ones.
   */
  smallChunksMax: 4_096,
  chunkBytesMin: 256,
} as const;
export type ConnectionLimits = { readonly [Limit in keyof typeof defaultConnectionLimits]: number };
