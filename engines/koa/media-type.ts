/** Media type without its parameters, in lower case; `''` when there is none. */
export const mediaTypeEssence = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
