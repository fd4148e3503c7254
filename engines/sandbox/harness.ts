import { readFile } from 'node:fs/promises';
import { parameterNameMax, scorerArguments, unknownParametersMax } from '../../kernel/sandbox.js';

/**
 * Python side of the sandbox, prefixed with the constants it shares with the service. Part of the
 * memory snapshot, so it runs before any untrusted code is read.
 */
export const readHarness = async (): Promise<string> =>
  [
    `ARGUMENTS = ${JSON.stringify(scorerArguments)}`,
    `UNKNOWN_PARAMETERS_MAX = ${unknownParametersMax}`,
    `PARAMETER_NAME_MAX = ${parameterNameMax}`,
    await readFile(new URL('harness.py', import.meta.url), 'utf8'),
  ].join('\n');
