/**
 * Limits of one record (contract 1.11). Characters are code points; texts are limited in bytes of
 * UTF-8 (the schemas limit characters, contract/record-rules.ts bytes).
 */
export const textBytesMax = 1_048_576;
export const nameMax = 255;
export const externalIdMax = 1_024;
export const metadataMax = 200;
export const metadataKeyMax = 256;
export const metadataValueMax = 4_096;
export const tagsMax = 100;
export const tagMax = 255;
