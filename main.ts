import { Command } from 'commander';
import { isMainThread } from 'node:worker_threads';
import { addAudit } from './ledger/audit.js';
import { addMaintenance } from './cli/maintenance-commands.js';
import { failureMessage } from './cli/failure.js';
import { addLists } from './tools/list-commands.js';
import { addMcp } from './tools/mcp.js';
import { addModelStub } from './tools/model-stub.js';
import { wholeNumber } from './tools/terminal/numbers.js';
import type { RebuildCommandOptions } from './cli/read-model-commands.js';
import { addParked } from './cli/parked-command.js';
import { asStarted } from './cli/program-name.js';
import { exitOnClosedPipe } from './cli/closed-pipe.js';
import { addTransfers } from './tools/transfer-commands.js';
import { escapeControls } from './tools/terminal/terminal-escape.js';
import { readClientEnvironment, readConfig, roles, withRoles } from './config.js';
import { variables } from './config/variables.js';
import { withPartition } from './config/records-settings.js';
import { endSpareReadSide, warmReadSide } from './service/read-side-thread.js';

// Modules of a command are loaded when it runs, so that short commands start fast.
const lazyCommands = {
  demo: async () => (await import('./cli/demo.js')).demo,
  inspect: async () => (await import('./cli/inspect.js')).inspect,
  openapi: async () => (await import('./cli/openapi.js')).openapi,
  operate: () => import('./cli/read-model-commands.js'),
  rotateKeys: async () => (await import('./cli/keys.js')).rotateKeys,
  serve: async () => (await import('./cli/serve.js')).serve,
};

const environmentHelp = `
Environment:
${variables
  .map(({ name, fallback, meaning }) => `  ${name.padEnd(30)} ${meaning} (${fallback})`)
  .join('\n')}`;

const opsHelp = 'operators’ listener of the process that folds, when there are several processes';
type InspectOptions = {
  readonly limit: string;
  readonly type?: readonly string[];
  readonly organization?: string;
  readonly since?: string;
  readonly follow?: true;
  readonly proof?: true;
  readonly json?: true;
  readonly ops?: string;
};

const program = new Command('assay')
  .description('Records, inspects and scores runs of applications built on language models.')
  .version('0.1.0')
  .configureOutput({
    writeOut: (text) => process.stdout.write(asStarted(text)),
    writeErr: (text) => process.stderr.write(asStarted(text)),
  })
  .showHelpAfterError();

program
  .command('serve')
  .description('run the service')
  .option('--roles <list>', `roles of this process, of ${roles.join(', ')}`, roles.join(','))
  .option('--partition <I/N>', 'with --roles projections: fold only this partition of the records')
  .addHelpText(
    'after',
    `${environmentHelp}\n\nExamples:\n  ASSAY_PORT=9000 assay serve\n` +
      '  assay serve --roles command,query\n' +
      '  assay serve --roles projections --partition 2/4',
  )
  .action(async (options: { roles: string; partition?: string }) => {
    const config = withPartition(
      withRoles(readConfig(process.env), options.roles),
      options.partition,
    );
    if (config.roles.includes('projections')) warmReadSide(config);
    await (
      await lazyCommands.serve()
    )(config);
  });

program
  .command('demo')
  .description('start on an empty folder, record a sample of agent runs, stay up')
  .option('--dir <folder>', 'data folder (default: a temporary folder)')
  .option('--runs <count>', 'agent runs to record', '300')
  .option('--seed <number>', 'seed of the sample', '7')
  .addHelpText('after', '\nExample:\n  assay demo --runs 1000')
  .action(async (options: { dir?: string; runs: string; seed: string }) => {
    const config = readConfig(process.env);
    warmReadSide(config);
    await (
      await lazyCommands.demo()
    )(config, options);
  });

program
  .command('rebuild')
  .description('rebuild a read model next to the live one, then switch to it (blue-green)')
  .argument('[name]', 'name of the read model; see: assay inspect projections')
  .option('--all', 'every read model')
  .option(
    '--rate <events>',
    'events a second at most (default: as fast as live read models keep up)',
  )
  .option('--dry-run', 'count the events and estimate the duration; nothing changes')
  .option('--resume', 'continue or watch a rebuild that was begun; start none')
  .option('--restart', 'start from the first event, even if a rebuild was begun')
  .option('--json', 'one JSON object a line instead of a bar or a table')
  .option('--ops <url>', opsHelp)
  .addHelpText(
    'after',
    '\nIt survives a kill: the next start goes on with it. Leaving this command does not end it ' +
      'in a running service.\n\nExamples:\n' +
      '  assay rebuild records\n  assay rebuild records --dry-run\n' +
      '  assay rebuild records --rate 5000\n  assay rebuild records --resume\n' +
      '  assay rebuild --all',
  )
  .action(async (name: string | undefined, options: RebuildCommandOptions) =>
    (await lazyCommands.operate()).rebuild(readConfig(process.env), name ?? null, options),
  );

program
  .command('verify')
  .description(
    'compare every read model with a replay of the log from scratch; exit 1 on a difference',
  )
  .option('--json', 'one JSON object instead of a table')
  .option('--ops <url>', opsHelp)
  .addHelpText('after', '\nExample:\n  assay verify && echo the read models are what the log says')
  .action(async (options: { json?: true; ops?: string }) =>
    (await lazyCommands.operate()).verify(readConfig(process.env), options),
  );

addParked(program, () => readConfig(process.env));

program
  .command('inspect')
  .description('show streams, events and read models as tables')
  .argument('<what>', 'streams, stream NAME, events, event ID|POSITION, or projections')
  .argument('[name]', 'for events: the name of their stream')
  .option('--limit <count>', 'at most this many rows', '20')
  .option('--type <type...>', 'events of these types')
  .option('--organization <id>', 'events that name this organisation')
  .option('--since <place>', 'first position or date-time of the events')
  .option('--follow', 'also show new events, until Ctrl-C')
  .option('--proof', 'for one event: its hash, its seal and a proof; exit 1 if it was changed')
  .option('--json', 'one JSON object a row instead of a table')
  .option('--ops <url>', opsHelp)
  .addHelpText(
    'after',
    '\nExamples:\n  assay inspect projections\n  assay inspect streams --limit 50\n' +
      '  assay inspect events --type ApiKeyCreated ApiKeyRevoked --since 2026-03-01T00:00:00Z\n' +
      '  assay inspect events --organization 60c67a87-024d-48e3-9dcf-ae5652800741 --follow\n' +
      '  assay inspect stream project-3fa85f64-5717-4562-b3fc-2c963f66afa6 --json\n' +
      '  assay inspect event 00000000000005a1 --proof',
  )
  .action(async (what: string, name: string | undefined, options: InspectOptions) =>
    (await lazyCommands.inspect())(readConfig(process.env), what, name ?? null, {
      limit: wholeNumber('--limit', options.limit, 1),
      json: options.json === true,
      ops: options.ops ?? null,
      types: options.type ?? null,
      organization: options.organization ?? null,
      since: options.since ?? null,
      follow: options.follow === true,
      proof: options.proof === true,
    }),
  );

program
  .command('keys')
  .description('the keys that seal the secrets of integrations')
  .command('rotate')
  .description('make a new data key for each organisation and re-encrypt the secrets with it')
  .option('--ops <url>', 'operators’ listener of a process with the role command')
  .option('--json', 'one JSON object instead of a sentence')
  .addHelpText('after', '\nExample:\n  assay keys rotate')
  .action(async (options: { ops?: string; json?: true }) =>
    (await lazyCommands.rotateKeys())(readConfig(process.env), options),
  );

addMaintenance(program, () => readConfig(process.env));
addAudit(program, () => readConfig(process.env));
addMcp(program, () => readClientEnvironment(process.env));
addModelStub(program);
addTransfers(program, () => readClientEnvironment(process.env));
addLists(program, () => readClientEnvironment(process.env));

program
  .command('openapi')
  .description('print the OpenAPI 3.1 document')
  .option('--write <file>', 'write it to this file (default: standard output)')
  .option('--table <file>', 'update the table of operations in this page')
  .action(async (options: { write?: string; table?: string }) =>
    (await lazyCommands.openapi())(options),
  );

// Restricts files and folders that a command creates to its user: other users of the machine can
// read neither the log nor a read model. Output of `openapi` belongs to the repository.
program.hook('preAction', (_program, command) => {
  if (command.name() !== 'openapi') process.umask(0o077);
  // A service keeps running when the reader of its log closes.
  if (command.name() !== 'serve') exitOnClosedPipe(exitWithFailure);
});

const exitWithFailure = (error: unknown): void => {
  const said = failureMessage(error, process.env['ASSAY_DATA_DIR'] ?? 'data');
  process.stderr.write(`assay: ${escapeControls(asStarted(String(said)))}\n`);
  // Threads of a half-started service would keep the process alive.
  void endSpareReadSide().finally(() => process.exit(1));
};

if (isMainThread) program.parseAsync().catch(exitWithFailure);
