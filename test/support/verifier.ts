import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './test-environment.js';

type Verified = {
  readonly entries: number;
  readonly erased: number;
  readonly withheld: number;
  readonly unsealed: number;
};
type Verifier = {
  readonly readKey: (file: string) => object;
  /** Rejects with the first defect. */
  readonly verifyBundle: (
    dir: string,
    trust: { readonly key: object; readonly origin: string; readonly since?: string | null },
  ) => Promise<Verified>;
  /** Rejects with the first defect. */
  readonly verifyCertificate: (
    file: string,
    trust: { readonly key: object; readonly origin: string | null },
  ) => Promise<{ readonly entries: number; readonly left: number }>;
};

export const verifierFile = join(repository, 'verifier/assay-verify.mjs');
/** The functions of the auditor's own program. */
export const { readKey, verifyBundle, verifyCertificate } = (await import(
  pathToFileURL(verifierFile).href
)) as Verifier;
