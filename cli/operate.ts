import Table from 'cli-table3';
import { SingleBar } from 'cli-progress';
import { Fault } from '../kernel/fault.js';
import type { Config } from '../config.js';
import type { Progress } from '../projections/fill-shadow.js';
import { operator } from './operator.js';

/** `assay rebuild NAME|--all`: built next to the live one, then switched. */
export const rebuild = async (
  config: Config,
  name: string | null,
  { all = false, ops = null }: { readonly all?: boolean; readonly ops?: string | null },
): Promise<void> => {
  if ((name === null) === !all) {
    throw new Fault('invalid', 'rebuild what? Either name one read model or say --all');
  }
  const desk = await operator(config, ops);
  try {
    const names = (await desk.status()).map((one) => one.name);
    if (name !== null && !names.includes(name)) throw unknownName(name, names);
    for (const one of name === null ? names : [name]) {
      const bar = progressBar(`rebuild ${one}`, desk.where);
      await desk.rebuild(one, bar.show);
      bar.end();
      process.stdout.write(`rebuilt ${one}\n`);
    }
  } finally {
    await desk.close();
  }
};

/**
 * `assay verify`: exit 1 and the first difference when a read model is not what a replay of the log
 * gives.
 */
export const verify = async (
  config: Config,
  { json = false, ops = null }: { readonly json?: boolean; readonly ops?: string | null },
): Promise<void> => {
  const desk = await operator(config, ops);
  try {
    const bar = progressBar('verify', desk.where);
    const verified = await desk.verify(null, bar.show);
    bar.end();
    const wrong = verified.filter((one) => one.difference !== null);
    if (wrong.length > 0) process.exitCode = 1;
    if (json) {
      process.stdout.write(`${JSON.stringify({ equal: wrong.length === 0, verified })}\n`);
      return;
    }
    const table = new Table({
      head: ['read model', 'position', 'items', 'equal'],
      style: { head: [], border: [] },
    });
    table.push(
      ...verified.map((one) => [
        one.name,
        one.position,
        String(one.items),
        one.difference === null ? 'yes' : 'NO',
      ]),
    );
    process.stdout.write(`${table.toString()}\n`);
    for (const { name, difference } of wrong) {
      process.stdout.write(
        `${name} differs first at ${difference?.key}\n` +
          `  stored: ${JSON.stringify(difference?.stored)}\n` +
          `  replay: ${JSON.stringify(difference?.replayed)}\n` +
          `Mend it with: assay rebuild ${name}\n`,
      );
    }
  } finally {
    await desk.close();
  }
};

const unknownName = (name: string, names: readonly string[]): Fault =>
  new Fault('not-found', `no read model is called ${name}; there are ${names.join(', ')}`);

/** A bar in a terminal, nothing elsewhere: scripts read the lines that follow. */
const progressBar = (title: string, where: 'service' | 'here') => {
  if (!process.stderr.isTTY) return { show: (): void => undefined, end: () => undefined };
  if (where === 'service') process.stderr.write(`${title}: the running service does it …\n`);
  const bar = new SingleBar({
    format: `${title} {bar} {percentage}% of the log`,
    stream: process.stderr,
    clearOnComplete: true,
  });
  let started = false;
  return {
    show: ({ position, head }: Progress): void => {
      const [done, total] = [position, head].map((text) => Number.parseInt(text, 16));
      if (!started) bar.start(total ?? 0, done ?? 0);
      else bar.update(done ?? 0);
      started = true;
    },
    end: (): void => {
      if (started) bar.stop();
    },
  };
};
