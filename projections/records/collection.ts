import type { Collection } from '../../kernel/documents.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';

/** Version of the fold without the mapping. */
const foldVersion = 8;
const mappingVersions = 1_000;

/**
 * Version of the rows: they follow from the fold and from the mapping of received spans, so a new
 * version of either makes a start rebuild them (contract 5.12).
 */
export const recordsVersion = ({ version }: OtelMapping): number =>
  foldVersion * mappingVersions + version;

/**
 * Read model behind sessions, traces and spans, as reads wait for it. Its rows live in Records, not
 * in Documents.
 */
export const recordsCollection: Collection = {
  name: 'records',
  version: recordsVersion(otelMapping),
  fields: {},
};
