import { writeFile } from 'node:fs/promises';
import { components, operations } from '../contract/all.js';
import { openApiDocument } from '../contract/openapi.js';

/** `assay openapi`: what the service serves at `/v2/openapi.json`, in a stable order. */
export const openApiText = (): string =>
  `${JSON.stringify(openApiDocument({ operations, components }), null, 2)}\n`;

export const openapi = async (file: string | null): Promise<void> => {
  if (file === null) process.stdout.write(openApiText());
  else await writeFile(file, openApiText());
};
