import type { Command } from 'commander';
import type { Config } from '../config.js';
import type { ParkedOptions, DecisionOptions } from './parked-streams.js';

const opsHelp = 'operators’ listener of the process that folds, when there are several processes';
const load = () => import('./parked-streams.js');

/** `assay parked …`: operators' commands about parked streams (dead letters). */
export const addParked = (program: Command, config: () => Config): void => {
  const parked = program
    .command('parked')
    .description('parked streams: a read model could not fold an event of them')
    .addHelpText(
      'after',
      '\nExamples:\n  assay parked list\n' +
        '  assay parked show trace-3fa85f64-… --in records\n' +
        '  assay parked retry trace-3fa85f64-… --in records --reason "fixed in 0.1.1"\n' +
        '  assay parked skip trace-3fa85f64-… --in records --reason "broken by INC-7" --as ada',
    );
  withShared(parked.command('list'), 'of this read model only')
    .description('one line for each parked stream')
    .addHelpText('after', '\nExample:\n  assay parked list --in records')
    .action(async (options: ParkedOptions) => (await load()).listParked(config(), options));
  withShared(parked.command('show'), 'the read model')
    .description('the event that cannot be folded, the error, and the later events that wait')
    .argument('<stream>')
    .addHelpText('after', '\nExample:\n  assay parked show trace-3fa85f64-… --in records')
    .action(async (stream: string, options: ParkedOptions) =>
      (await load()).showParked(config(), stream, options),
    );
  addDecisionCommand(parked, config, 'retry', 'fold the stream from where it was parked');
  addDecisionCommand(
    parked,
    config,
    'skip',
    'rule the event out for this read model and for good, then retry',
  );
};

const withShared = (command: Command, inHelp: string): Command =>
  withOutput(command.option('--in <name>', inHelp));

const withOutput = (command: Command): Command =>
  command.option('--json', 'JSON instead of a table').option('--ops <url>', opsHelp);

const addDecisionCommand = (
  parked: Command,
  config: () => Config,
  what: 'retry' | 'skip',
  meaning: string,
): void => {
  const command = parked
    .command(what)
    .description(`${meaning}; recorded in the log. Exit 1 when it is parked again`)
    .argument('<stream>')
    .requiredOption('--in <name>', 'the read model that has parked it')
    .requiredOption('--reason <text>', 'reason, which stays in the log for ever')
    .option('--as <who>', 'name of the deciding operator (default: the user of this machine)');
  withOutput(command)
    .addHelpText(
      'after',
      `\nExample:\n  assay parked ${what} trace-3fa85f64-… --in records --reason "INC-7" --as ada`,
    )
    .action(async (stream: string, options: DecisionOptions) =>
      (await load()).decideParked(config(), what, stream, options),
    );
};
