const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `90s`, `15m` or `1h`; null for any other text. */
export const parseDuration = (text: string): number | null => {
  const [, count = '', unit = ''] = /^(\d{1,5})(s|m|h)$/.exec(text) ?? [];
  return unit === '' ? null : Number(count) * (units[unit] ?? 0);
};
