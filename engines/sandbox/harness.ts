import { readFile } from 'node:fs/promises';
import { parameterNameMax, scorerArguments, unknownParametersMax } from '../../kernel/sandbox.js';

/**
 * The Python side of the sandbox, with what it has in common with the service put before it. It is
 * part of the memory snapshot, so it runs before any stranger's code is seen.
 */
export const readHarness = async (): Promise<string> =>
  [
    `ARGUMENTS = ${JSON.stringify(scorerArguments)}`,
    `UNKNOWN_PARAMETERS_MAX = ${unknownParametersMax}`,
    `PARAMETER_NAME_MAX = ${parameterNameMax}`,
    await readFile(new URL('harness.py', import.meta.url), 'utf8'),
  ].join('\n');
