import type { Collection } from '../../kernel/documents.js';

/**
 * What reads of sessions, traces and spans wait for. Its rows live in Records, not in Documents.
 */
export const recordsCollection: Collection = { name: 'records', version: 4, fields: {} };
