import { Option, type Command } from 'commander';
import type { ClientSettings } from '../config/client-settings.js';
import type { ListedNoun, ListedPopulation } from './list.js';
import { wholeNumber } from './terminal/numbers.js';
import {
  withAccessOptions,
  serviceAccessOf,
  withTargetOptions,
  targetOptionsOf,
  type AccessOptions,
} from './service-options.js';
import type { TargetOptions } from './run-target.js';

type ListOptions = AccessOptions &
  TargetOptions & {
    readonly where?: readonly string[];
    readonly sort?: string;
    readonly limit: string;
    readonly json?: true;
  };

type ColumnsOptions = AccessOptions &
  TargetOptions & { readonly of: ListedPopulation; readonly json?: true };

const populations: readonly ListedPopulation[] = ['traces', 'spans', 'sessions'];

const recordsHelp = `
A condition is COLUMN OPERATOR VALUE, with the columns that \`assay columns\` lists, the operators
of docs/contract.md, 3.7, or one of = != > >= < <=. Several conditions must all hold.

Examples:
  assay traces --project airline --where 'metrics/cost > 0.1' --where 'input contains refund'
  assay traces --project airline --sort -metrics/reward --limit 50
  assay sessions --project airline --json | jq -r .id`;

const experimentsHelp = `
Examples:
  assay experiments --project airline
  assay experiments --project airline --sort -metrics/reward --json`;

const compareHelp = `
Examples:
  assay compare baseline shorter-prompt --project airline
  assay compare baseline shorter-prompt --project airline --json | jq '.rows[0]'`;

/** `assay traces`, `sessions`, `experiments` and `compare`: contents of a project as tables. */
export const addLists = (program: Command, environment: () => ClientSettings): void => {
  for (const noun of ['traces', 'sessions'] as const) {
    const command = withTargetOptions(program.command(noun), 'name or id');
    withListOptions(command, noun, environment)
      .description(`${noun} of a project as a table, newest first`)
      .option('--where <condition...>', 'only records for which the condition holds')
      .addHelpText('after', recordsHelp);
  }
  withListOptions(withProjectOptions(program.command('experiments')), 'experiments', environment)
    .description('experiments of a project with their averages, newest first')
    .addHelpText('after', experimentsHelp);
  withTargetOptions(program.command('columns'), 'name or id')
    .description('the columns that records of a project can be filtered and sorted by, as a table')
    .addOption(
      new Option('--of <records>', 'kind of records').choices(populations).default('traces'),
    )
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExample:\n  assay columns --project airline --of spans')
    .action(async (options: ColumnsOptions) => {
      const { listColumns } = await import('./list.js');
      await listColumns(options.of, await serviceAccessOf(environment(), options), {
        ...targetOptionsOf(options, environment()),
        json: options.json === true,
      });
    });
  withProjectOptions(program.command('compare'))
    .description('experiments against the first of them, metric by metric')
    .argument('<experiments...>', 'names or ids; the first is the baseline')
    .option('--limit <count>', 'rows of the dataset with --json', '100')
    .option('--json', 'the comparison with its rows as one JSON object')
    .addHelpText('after', compareHelp)
    .action(async (experiments: readonly string[], options: ListOptions) => {
      const { compareExperiments } = await import('./list.js');
      await compareExperiments(experiments, await serviceAccessOf(environment(), options), {
        ...targetOptionsOf(options, environment()),
        limit: wholeNumber('--limit', options.limit, 1),
        json: options.json === true,
      });
    });
};

const withProjectOptions = (command: Command): Command =>
  withAccessOptions(command.option('--project <name>', 'name or id (default: ASSAY_PROJECT)'));

const withListOptions = (
  command: Command,
  noun: ListedNoun,
  environment: () => ClientSettings,
): Command =>
  command
    .option('--sort <column>', 'sort by this column, ascending; -COLUMN: descending')
    .option('--limit <count>', 'at most this many, 200 in all', '20')
    .option('--json', 'one JSON object a line')
    .action(async (options: ListOptions) => {
      const { listRecords } = await import('./list.js');
      await listRecords(noun, await serviceAccessOf(environment(), options), {
        ...targetOptionsOf(options, environment()),
        where: options.where ?? [],
        sort: options.sort ?? null,
        limit: wholeNumber('--limit', options.limit, 1),
        json: options.json === true,
      });
    });
