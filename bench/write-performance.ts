import '../engines/node/minimum-version.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../test/support/test-environment.js';
import { performanceFiles } from './performance-files.js';
import { resultsFile } from './result-rows.js';

/** `npm run performance`: writes docs/performance.md and its picture from the results file. */

for (const [path, text] of performanceFiles(readFileSync(resultsFile, 'utf8')))
  writeFileSync(join(repository, path), text);
