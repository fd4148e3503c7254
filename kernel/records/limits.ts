/**
 * Contract 1.11: what one record may hold. Characters are code points; a text is counted in bytes
 * of UTF-8 (the schemas limit its characters, contract/record-rules.ts its bytes).
 */
export const textBytesMax = 1_048_576;
export const nameMax = 255;
export const externalIdMax = 1_024;
export const metadataMax = 200;
export const metadataKeyMax = 256;
export const metadataValueMax = 4_096;
export const tagsMax = 100;
export const tagMax = 255;
