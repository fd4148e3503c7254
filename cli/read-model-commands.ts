import Table from 'cli-table3';
import { Fault } from '../kernel/fault.js';
import type { Config } from '../config.js';
import type { DryRun } from '../projections/dry-run.js';
import type { RebuildProgress } from '../projections/fill-shadow.js';
import type { RebuildRequest } from '../projections/rebuild-coordinator.js';
import { openOperatorSession } from './operator-session.js';
import { openProgressBar } from '../tools/terminal/progress-bar.js';
import { printRows } from '../tools/terminal/print-rows.js';
import { asStarted } from './program-name.js';

export type RebuildCommandOptions = {
  readonly all?: true;
  /** Limit in events a second. */
  readonly rate?: string;
  readonly dryRun?: true;
  readonly resume?: true;
  readonly restart?: true;
  readonly json?: true;
  readonly ops?: string;
};

/**
 * `assay rebuild NAME|--all`: builds a shadow copy, then promotes it. With `--json` a line of
 * progress after each page, then the result.
 */
export const rebuild = async (
  config: Config,
  name: string | null,
  options: RebuildCommandOptions,
): Promise<void> => {
  if ((name === null) === (options.all !== true)) {
    throw new Fault('invalid', 'rebuild what? Either name one read model or say --all');
  }
  const wishes = rebuildOptionsOf(options);
  const desk = await openOperatorSession(config, options.ops ?? null);
  try {
    const names = name === null ? (await desk.status()).map((one) => one.name) : [name];
    if (options.dryRun === true) {
      for (const one of names) printDryRun(await desk.dryRun(one), wishes, options.json === true);
      return;
    }
    for (const one of names) {
      const bar =
        options.json === true ? jsonLinesProgress : progressBar(`rebuild ${one}`, desk.where);
      await desk.rebuild(one, bar.show, wishes);
      bar.end();
      process.stdout.write(
        options.json === true ? `${JSON.stringify({ rebuilt: one })}\n` : `rebuilt ${one}\n`,
      );
    }
  } finally {
    await desk.close();
  }
};

const rebuildOptionsOf = ({ rate, resume, restart }: RebuildCommandOptions): RebuildRequest => {
  if (resume === true && restart === true) {
    throw new Fault('invalid', 'go on or begin anew? Either --resume or --restart');
  }
  if (rate !== undefined && !(Number(rate) > 0)) {
    throw new Fault('invalid', '--rate takes events a second, a number above 0');
  }
  return {
    ...(rate !== undefined && { rate: Number(rate) }),
    ...(resume === true && { begin: 'resume' }),
    ...(restart === true && { begin: 'restart' }),
  };
};

const printDryRun = (found: DryRun, { rate }: RebuildRequest, json: boolean): void => {
  const paced = rate === undefined || rate === null ? 0 : Math.ceil(found.log_events / rate);
  const seconds = Math.max(found.seconds, paced);
  if (json) {
    process.stdout.write(`${JSON.stringify({ ...found, seconds })}\n`);
    return;
  }
  printRows(
    Object.entries(found.events).map(([type, events]) => ({ type, events })),
    false,
  );
  process.stdout.write(
    `rebuilding ${found.name} reads ${found.log_events} events and takes about ${seconds} s ` +
      `(as ${found.sample} of them did); nothing was changed\n`,
  );
};

/** Progress as the service reports it, one JSON object a line. */
const jsonLinesProgress = {
  show: (progress: RebuildProgress): void =>
    void process.stdout.write(`${JSON.stringify(progress)}\n`),
  end: (): void => undefined,
};

/**
 * `assay verify`: exit 1 and the first difference when a read model differs from a replay of the
 * log, and when streams are parked, which are incomplete in both.
 */
export const verify = async (
  config: Config,
  { json = false, ops = null }: { readonly json?: boolean; readonly ops?: string | null },
): Promise<void> => {
  const desk = await openOperatorSession(config, ops);
  try {
    const bar = progressBar('verify', desk.where);
    const verified = await desk.verify(null, bar.show);
    bar.end();
    const wrong = verified.filter((one) => one.difference !== null);
    const lacking = verified.filter(({ parked }) => parked > 0);
    if (wrong.length > 0 || lacking.length > 0) process.exitCode = 1;
    if (json) {
      process.stdout.write(`${JSON.stringify({ equal: wrong.length === 0, verified })}\n`);
      return;
    }
    const table = new Table({
      head: ['read model', 'position', 'items', 'equal', 'parked'],
      style: { head: [], border: [] },
    });
    table.push(
      ...verified.map((one) => [
        one.name,
        one.position,
        String(one.items),
        one.difference === null ? 'yes' : 'NO',
        String(one.parked),
      ]),
    );
    process.stdout.write(`${table.toString()}\n`);
    for (const { name, difference } of wrong) {
      process.stdout.write(
        `${name} differs first at ${difference?.key}\n` +
          `  stored: ${JSON.stringify(difference?.stored)}\n` +
          `  replay: ${JSON.stringify(difference?.replayed)}\n` +
          asStarted(`Mend it with: assay rebuild ${name}\n`),
      );
    }
    for (const { name, parked } of lacking) {
      process.stdout.write(
        `${name} lacks events of ${parked} parked ${parked === 1 ? 'stream' : 'streams'}; ` +
          'see: assay parked list\n',
      );
    }
  } finally {
    await desk.close();
  }
};

const progressBar = (what: string, where: 'service' | 'here') => {
  const title = where === 'service' ? `${what} in the running service` : what;
  const bar = openProgressBar(`${title} {bar} {percentage}% of the log, {rate} events/s, {left}`);
  return {
    show: ({
      position,
      head,
      events_per_second: rate,
      eta_seconds: eta,
    }: RebuildProgress): void => {
      const [done = 0, total = 0] = [position, head].map((text) => Number.parseInt(text, 16));
      bar.show(done, total, { rate, left: eta === null ? '…' : `${eta} s left` });
    },
    end: bar.end,
  };
};
