import { readdirSync, readFileSync } from 'node:fs';

/** An event as some version of the service stored it. Files are added and never edited. */
type GoldenEvent = {
  readonly type: string;
  readonly schema: number;
  readonly data: unknown;
};

/** The folder in the source tree: compiled code reads it from there too. */
export const goldenEventsDir = new URL('../../../test/golden/events/', import.meta.url);

export const goldenName = (type: string, schema: number): string => `${type}.${schema}.json`;

export const goldenEvents = (): readonly (GoldenEvent & { readonly file: string })[] =>
  readdirSync(goldenEventsDir)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      file,
      ...(JSON.parse(readFileSync(new URL(file, goldenEventsDir), 'utf8')) as GoldenEvent),
    }));
