import { systemClock } from '../engines/node/clock.js';
import { diskFiles } from '../engines/node/files.js';
import { randomIds } from '../engines/node/ids.js';
import { openSecrets } from '../engines/node/secrets.js';
import { openEngines, serviceFile, type Engines } from '../engines/open.js';
import type { Config } from '../config.js';
import { Fault } from '../kernel/fault.js';
import { parseJsonText } from '../kernel/json-text.js';
import {
  inviteByEmail,
  type InvitationNotice,
} from '../command-api/invitations/invitation-by-email.js';
import { inviteCommand } from '../service/invite-command.js';
import { requireLog } from '../service/log-reader.js';
import { loadSecretKey } from '../service/secret-key.js';
import { opsUrlOf } from './operator-session.js';
import { opsCaller } from './ops-client.js';

/**
 * `assay invite EMAIL`: a way in for a user who has no password, or lost it. Executed by the
 * running service, which holds the folder, or here when none is running or the log is remote.
 */
export const invite = async (
  config: Config,
  email: string,
  { ops = null, json = false }: { readonly ops?: string | null; readonly json?: boolean },
): Promise<void> => {
  const invited = await inviteAnywhere(config, email, ops);
  process.stdout.write(json ? `${JSON.stringify(invited)}\n` : invitationText(invited));
};

const inviteAnywhere = async (
  config: Config,
  email: string,
  ops: string | null,
): Promise<InvitationNotice> => {
  if (ops !== null) return inviteByService(ops, config, { email });
  requireLog(config);
  const engines = await openEngines(config);
  if (!engines.embedded) return inviteLocally(config, engines, email);
  try {
    const unlock = engines.lock();
    return await inviteLocally(config, engines, email).finally(unlock);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
    const url = await opsUrlOf(config, engines.dir, error);
    return inviteByService(url, config, {
      email,
      folder_token: await folderTokenOf(engines.dir, error),
    });
  }
};

const inviteByService = async (
  url: string,
  config: Config,
  request: object,
): Promise<InvitationNotice> =>
  (await opsCaller(url, config)(inviteCommand, request)) as InvitationNotice;

/** Token that the running service wrote into its folder; throws `held` without one. */
const folderTokenOf = async (dir: string, held: Fault): Promise<string> => {
  const bytes = await diskFiles.read(serviceFile(dir));
  if (bytes === null) throw held;
  return (parseJsonText(Buffer.from(bytes).toString('utf8')) as { token: string }).token;
};

const inviteLocally = async (
  config: Config,
  engines: Engines,
  email: string,
): Promise<InvitationNotice> => {
  const bus = await engines.bus(null);
  const log = await engines.log(bus);
  try {
    const secrets = openSecrets(await loadSecretKey(config, engines.dir));
    const needs = { log, ids: randomIds, clock: systemClock, secrets };
    return await inviteByEmail(needs, email, usualUrl(config));
  } finally {
    await log.close();
    await bus.close();
  }
};

/** Address at which the next start listens; without a fixed port it is not known yet. */
const usualUrl = ({ host, port }: Config): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port === 0 ? 'PORT' : port}`;

const invitationText = ({ email, link, expires_at }: InvitationNotice): string =>
  `${link}\n\n` +
  `It sets a password of ${email}, works once until ${expires_at}, and replaces earlier links. ` +
  'Behind a proxy, or on another machine, put its address in place of the host.\n';
