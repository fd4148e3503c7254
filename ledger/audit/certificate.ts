import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { engineChoiceOf, type Config } from '../../config.js';
import { makeFolder } from '../../engines/node/files.js';
import { openSecrets } from '../../engines/node/secrets.js';
import { Fault } from '../../kernel/fault.js';
import { certificateLines, type CertificateSubject } from '../exports/certificate.js';
import { loadSealKey } from '../signing-key.js';
import { loadSecretKey } from '../../service/secret-key.js';
import { openHistoryReader } from '../reader.js';

export type CertificateOptions = {
  readonly deletion?: string;
  readonly orgJob?: string;
  readonly run?: string;
  readonly project?: string;
  readonly dataset?: string;
  readonly out: string;
};

/**
 * `assay audit certificate`: the erased entries with their proofs, a line each, then a signed
 * statement. An unfinished file is removed.
 */
export const auditCertificate = async (
  config: Config,
  options: CertificateOptions,
): Promise<void> => {
  const of = certificateRequestOf(options);
  const history = await openHistoryReader(engineChoiceOf(config));
  const file = join(options.out, `certificate-${of.kind}-${of.id}.jsonl`);
  const key = await loadSealKey(
    config.seals,
    openSecrets(await loadSecretKey(config, config.dataDir)).sealSeed,
  );
  await makeFolder(options.out);
  const handle = await open(file, 'wx', 0o600);
  try {
    const lines = certificateLines(
      {
        ...history,
        recordsLeft: async () => null,
        backupDays: config.backupDays,
        signed: async (payload) => key.jws('assay-certificate+jwt', payload),
      },
      of,
    );
    for await (const line of lines) await handle.appendFile(`${JSON.stringify(line)}\n`);
    await handle.datasync();
    process.stdout.write(`${file}\n`);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
    await history.close();
  }
};

const certificateRequestOf = ({
  deletion,
  orgJob,
  run,
  project,
  dataset,
}: CertificateOptions): CertificateSubject => {
  const given = Object.entries({ deletion, job: orgJob, run, project, dataset }).flatMap(
    ([kind, id]) => (id === undefined ? [] : [{ kind: kind as CertificateSubject['kind'], id }]),
  );
  const [of, ...others] = given;
  if (of !== undefined && others.length === 0) return of;
  throw new Fault(
    'invalid',
    'certificate of what? One of --deletion, --org-job, --run, --project, --dataset',
  );
};
