import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type VerifyOptions = {
  readonly key?: string;
  readonly origin?: string;
  readonly since?: string;
};

/**
 * `assay audit verify BUNDLE`: runs the auditor's verifier unchanged, with its messages and exit
 * codes: 0 intact, 1 broken, 2 not checkable.
 */
export const auditVerify = async (
  bundle: string,
  { key, origin, since }: VerifyOptions,
): Promise<void> => {
  const args = [
    bundle,
    ...(key === undefined ? [] : ['--key', key]),
    ...(origin === undefined ? [] : ['--origin', origin]),
    ...(since === undefined ? [] : ['--since', since]),
  ];
  const child = spawn(process.execPath, [verifierFile(), ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 2;
};

/** The verifier is not compiled: its file lies beside the compiled program. */
const verifierFile = (): string =>
  fileURLToPath(new URL('../../../verifier/assay-verify.mjs', import.meta.url));
