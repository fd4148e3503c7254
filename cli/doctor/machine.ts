import type { Config } from '../../config.js';
import { openLogOf } from '../../service/read-log.js';
import { hasLog, openEngines } from '../../engines/open.js';
import { systemClock } from '../../engines/node/clock.js';
import type { Sandbox, SandboxState } from '../../kernel/sandbox.js';
import { bad, good, warning, type Finding } from './finding.js';

export const machineFindings = async (config: Config): Promise<readonly Finding[]> => [
  runtime(),
  await clock(config),
  await sandbox(config),
];

const runtime = (): Finding =>
  good('runtime', `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`);

/** Another machine may have written the last event, and clocks differ by this much. */
const clockAheadMs = 60_000;
const clockFloor = Date.parse('2026-01-01T00:00:00Z');

/** The clock gives events their times and ends tokens: one that went back shows in the log. */
const clock = async (config: Config): Promise<Finding> => {
  const now = Date.now();
  const found = new Date(now).toISOString();
  const wrong = 'set the clock of this machine (timedatectl), and keep it by NTP';
  if (now < clockFloor) return bad('clock', found, wrong);
  if (config.eventStoreUrl === null && !hasLog(config.dataDir)) return good('clock', found);
  const last = await lastTime(config).catch(() => null);
  if (last === null || last - now <= clockAheadMs) return good('clock', found);
  return bad('clock', `${found}, before the last event of the log`, wrong);
};

const lastTime = async (config: Config): Promise<number | null> => {
  const { reader, close } = await openLogOf(config);
  try {
    const [last] = await reader.tail(1);
    return last === undefined ? null : Date.parse(last.metadata.at);
  } finally {
    await close();
  }
};

const sandbox = async (config: Config): Promise<Finding> => {
  if (config.sandbox === 'off') return good('sandbox', 'switched off: code scorers do not run');
  const opened = (await openEngines(config)).sandbox();
  const { mode, detail } = await settled(opened);
  await opened.close();
  const install = 'apt-get install bubblewrap; RUNBOOK.md, Code scorers fail';
  if (mode === 'off') return warning('sandbox', `code scorers cannot run: ${detail}`, install);
  if (mode === 'deno') return warning('sandbox', `weaker than wished for: ${detail}`, install);
  return good('sandbox', `${mode}: ${detail}`);
};

/** Its probes take some seconds. */
const probesMs = 60_000;
const lookEveryMs = 50;
const settled = async (opened: Sandbox): Promise<SandboxState> => {
  const { signal } = new AbortController();
  for (let waited = 0; waited < probesMs; waited += lookEveryMs) {
    if (opened.state().mode !== 'starting') break;
    await systemClock.wait(lookEveryMs, signal);
  }
  return opened.state();
};
