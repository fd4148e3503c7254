import '../../../engines/node/minimum-version.js';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedFiles } from './files.js';

/** `npm run generate`: run from the root of the repository; removes outdated files. */
const folder = 'clients/typescript/src/generated';
const files = await generatedFiles();
await mkdir(folder, { recursive: true });
for (const name of await readdir(folder)) if (!files.has(name)) await rm(join(folder, name));
for (const [name, text] of files) await writeFile(join(folder, name), text);
