import type { Collection } from '../../kernel/documents.js';
import { otelMapping, type OtelMapping } from '../../kernel/otel/mapping.js';

/** Of the fold without the mapping. */
const foldVersion = 8;
const mappingVersions = 1_000;

/**
 * Rows follow from the fold and from the mapping of received spans: another version of either is
 * another version of the rows, so that a start rebuilds them (contract 5.12).
 */
export const recordsVersion = ({ version }: OtelMapping): number =>
  foldVersion * mappingVersions + version;

/**
 * What reads of sessions, traces and spans wait for. Its rows live in Records, not in Documents.
 */
export const recordsCollection: Collection = {
  name: 'records',
  version: recordsVersion(otelMapping),
  fields: {},
};
