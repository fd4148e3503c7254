import { copyFile, cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { opsCaller } from '../../cli/ops-client.js';
import { openHistoryReader } from '../../ledger/reader.js';
import { logVerdicts } from '../../ledger/audit/verify-log.js';
import { engineChoiceOf, readConfig } from '../../config.js';
import { findDamagedEvent } from '../../engines/sqlite/integrity-check.js';
import { redactedReason } from '../../kernel/fault.js';
import { sealCommand } from '../../ledger/sealing.js';
import { copyOfTemplate } from '../support/folder-template.js';
import { runAssay, startService } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

/** A data folder that a service has used and left, and its backup. */
export type ByteFlipFixture = {
  readonly data: string;
  readonly backup: string;
  /** The data folder as a kill of the service leaves it, with its write-ahead logs. */
  readonly killed: string;
  readonly remove: () => Promise<void>;
};

const tracesInAll = 40;

/** A project with traces in sessions, datasets, a deletion, a sealed secret, and a seal. */
export const openByteFlipFixture = async (): Promise<ByteFlipFixture> => {
  const { dir, remove } = await copyOfTemplate('byte-flips', fillFixture);
  return { ...foldersIn(dir), remove };
};

const foldersIn = (dir: string) => ({
  data: join(dir, 'data'),
  backup: join(dir, 'backup'),
  killed: join(dir, 'killed'),
});

const fillFixture = async (dir: string): Promise<void> => {
  const { data, backup, killed } = foldersIn(dir);
  const service = await startService({ dir: data });
  const { client } = service;
  const { body: project } = await client.call<{ id: string }>('POST', '/v2/projects', {
    body: { name: 'flipped' },
  });
  const root = `/v2/projects/${project.id}`;
  for (let nth = 0; nth < 60; nth += 1) {
    await client.call('POST', '/v2/projects', { body: { name: `beside ${nth}` } });
  }
  await client.call('PUT', '/v2/integrations/openai', { body: { token: 'a-sealed-token' } });
  const traces = Array.from({ length: tracesInAll }, (_, nth) => ({
    input: `question ${nth} ${'x'.repeat(nth % 5 === 0 ? 6_000 : 50)}`,
    output: `answer ${nth}`,
    user_metadata: { turn: String(nth), kind: `kind ${nth % 3}` },
    metrics: { reward: nth / 7 },
  }));
  await client.call('POST', `${root}/traces`, { body: { traces } });
  await pollUntil('what was logged', 20_000, async () => {
    const { body } = await client.send('POST', `${root}/traces/search`, { body: {} });
    return JSON.stringify(body).includes(`answer ${tracesInAll - 1}`);
  });
  await opsCaller(service.opsUrl, { opsToken: null })(sealCommand, {});
  const { code, output } = await runAssay(data, 'backup', backup);
  expect(code, output).to.equal(0);
  // A kill leaves the files as they are while the process stands still.
  process.kill(service.pid, 'SIGSTOP');
  await cp(data, killed, { recursive: true });
  process.kill(service.pid, 'SIGCONT');
  const exit = await service.stop();
  expect(exit, service.output()).to.deep.equal({ code: 0, signal: null });
  expect(await readdir(data)).not.to.include('log.sqlite-wal');
};

/** Finding of `assay audit verify` in a data folder; null: no finding. */
export const auditFinding = async (dir: string): Promise<string | null> => {
  try {
    const history = await openHistoryReader(engineChoiceOf(readConfig({ ASSAY_DATA_DIR: dir })));
    try {
      if ((await history.eventsBehind()) > 0) return 'behind';
      for await (const { chain, verdict } of logVerdicts(history)) {
        if (verdict.status === 'broken') return `${chain} is broken`;
      }
      return (await findDamagedEvent(dir))?.why ?? null;
    } finally {
      await history.close();
    }
  } catch (error) {
    return redactedReason(error);
  }
};

/** The only file of a folder whose name has this form. */
export const findOnlyFile = async (dir: string, form: RegExp): Promise<string> => {
  const names = (await readdir(dir)).filter((name) => form.test(name));
  expect(names, dir).to.have.length(1);
  return join(dir, names[0] ?? '');
};

/** Puts the files of a folder whose names have this form into another, which then has no others. */
export const copyFiles = async (from: string, to: string, form: RegExp): Promise<void> => {
  for (const name of await readdir(to)) await rm(join(to, name), { recursive: true, force: true });
  for (const name of await readdir(from)) {
    if (form.test(name)) await copyFile(join(from, name), join(to, name));
  }
};
