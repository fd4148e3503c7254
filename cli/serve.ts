import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { asStarted } from './program-name.js';
import { startService, type AdminInvitationNotice, type Service } from '../service/service.js';

/**
 * Exit code after a failed log or a dead thread: a supervisor may start the process again, a person
 * should look.
 */
const fatalExitCode = 70;

/** `assay serve`: runs until SIGTERM or SIGINT, then shuts down gracefully. */
export const serve = async (config: Config): Promise<void> => {
  const sayKey = (key: string, email: string, url: string): void =>
    writeFirstKey(config.dataDir, key, email, url);
  const service = await startService(config, {
    onKeyMinted: sayKey,
    onAdminInvited: invitationWriter(config.dataDir),
  });
  await untilEnded(service);
};

/** File of the first start's API key in the data folder, as the terminal scrolls. */
const firstKeyFile = 'first-api-key';

const writeFirstKey = (dir: string, key: string, email: string, url: string): void => {
  const path = join(dir, firstKeyFile);
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  process.stderr.write(
    `\nFirst start: an API key of ${email} was made. It is shown this once.\n\n` +
      `  ${key}\n\n` +
      `It is also in ${path}, which only you can read: delete that file once you keep the key.\n` +
      `Try: curl -H 'Service-API-Key: ${key}' ${url}/v2/projects\n\n`,
  );
};

/** Tells the operator how the admin, who cannot log in yet, gets in. Not part of the log. */
export const invitationWriter =
  (dataDir: string) =>
  ({ email, link, expiresAt }: AdminInvitationNotice): void => {
    const again = asStarted(`ASSAY_DATA_DIR=${dataDir} assay invite ${email}`);
    process.stderr.write(
      link === null
        ? `${email} has no password; an invitation shown before is open until ${expiresAt}. ` +
            `If it is lost: ${again}\n`
        : `\nSign in and choose the password of ${email}, once, until ${expiresAt}:\n\n` +
            `  ${link}\n\nIf the link is lost: ${again}\n\n`,
    );
  };

/**
 * Resolves after a graceful stop. After a fatal failure it closes the parts within their time
 * limits and exits the process; after a stop that hangs it kills the process.
 */
export const untilEnded = async (service: Service): Promise<void> => {
  const asked = new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  try {
    await Promise.race([asked, service.fatal]);
  } catch {
    // An exit during a thread's native call aborts the process with another code (134).
    await service.close().catch(() => null);
    process.exit(fatalExitCode);
  }
  await service.close().catch((error: unknown) => {
    process.stderr.write(`assay: ended by force: ${String(error)}\n`);
    // A thread in a native call would block an exit too; a kill is safe for the log.
    process.kill(process.pid, 'SIGKILL');
  });
};
