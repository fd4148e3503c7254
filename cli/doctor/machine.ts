import type { Config } from '../../config.js';
import { openReadOnlyLog } from '../../service/log-reader.js';
import { hasLog, openEngines } from '../../engines/open.js';
import { systemClock } from '../../engines/node/clock.js';
import type { Sandbox, SandboxState } from '../../kernel/sandbox.js';
import { bad, good, warning, type Finding } from './finding.js';
import { shippedPricesFinding } from './prices.js';

export const machineFindings = async (config: Config): Promise<readonly Finding[]> => [
  runtimeFinding(),
  await clockFinding(config),
  shippedPricesFinding(Date.now()),
  await sandboxFinding(config),
];

const runtimeFinding = (): Finding =>
  good('runtime', `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`);

/** Another machine may have written the last event, and clocks differ by this much. */
const clockAheadMs = 60_000;
const clockFloor = Date.parse('2026-01-01T00:00:00Z');

/** Checks the clock, which times events and expires tokens: the log shows if it went back. */
const clockFinding = async (config: Config): Promise<Finding> => {
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
  const { reader, close } = await openReadOnlyLog(config);
  try {
    const [last] = await reader.tail(1);
    return last === undefined ? null : Date.parse(last.metadata.at);
  } finally {
    await close();
  }
};

const sandboxFinding = async (config: Config): Promise<Finding> => {
  if (config.sandbox === 'off') return good('sandbox', 'switched off: code scorers do not run');
  const opened = (await openEngines(config)).sandbox();
  const { mode, detail } = await awaitProbes(opened);
  await opened.close();
  const install = 'apt-get install bubblewrap; docs/runbook/sandbox-unavailable.md';
  if (mode === 'off') return warning('sandbox', `code scorers cannot run: ${detail}`, install);
  if (mode === 'deno') return warning('sandbox', `weaker than wished for: ${detail}`, install);
  return good('sandbox', `${mode}: ${detail}`);
};

/** Time limit of the sandbox probes, which take some seconds. */
const probesMs = 60_000;
const pollIntervalMs = 50;
const awaitProbes = async (opened: Sandbox): Promise<SandboxState> => {
  const { signal } = new AbortController();
  for (let waited = 0; waited < probesMs; waited += pollIntervalMs) {
    if (opened.state().mode !== 'starting') break;
    await systemClock.wait(pollIntervalMs, signal);
  }
  return opened.state();
};
