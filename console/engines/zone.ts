/** The zone of this browser, such as `Europe/Berlin`. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Zones that the browser knows, UTC first. */
export const knownZones = (): readonly string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'),
];
