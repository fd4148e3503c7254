import type { Command } from 'commander';
import type { Config } from '../../config.js';
import type { WatchOptions } from './watch.js';

type Options = { readonly ops?: string; readonly json?: true };

/** The seal commands of `assay audit`. */
export const addAuditSeals = (audit: Command, config: () => Config): void => {
  audit
    .command('watch')
    .description('check that the history of a service still begins with your stored checkpoint')
    .argument('<url>', 'address of the service')
    .requiredOption('--state <file>', 'file that keeps the newest checkpoint for the next check')
    .requiredOption('--key <file>', 'trusted key, as vkey, PEM or JWK')
    .option('--origin <name>', 'expected origin of the history')
    .option('--api-key <file>', 'file with an API key of an auditor')
    .option('--json', 'one JSON object instead of a sentence')
    .addHelpText(
      'after',
      '\nExit 0: it does; 1: it does not, or it is not signed with your key; 2: not checkable.' +
        '\n\nExample:\n  assay audit watch https://assay.example.org --state kept.note' +
        ' --key their.vkey --api-key auditor.key',
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (url: string, options: WatchOptions) =>
      (await import('./watch.js')).auditWatch(url, options),
    );

  audit
    .command('seal')
    .description('seal every history now, once it includes the whole log')
    .option('--ops <url>', 'operators’ listener of a process with the role worker')
    .option('--wait <seconds>', 'longest wait until the history includes the log', '600')
    .option('--json', 'one JSON object instead of sentences')
    .addHelpText(
      'after',
      '\nExit 0: all are sealed; 1: one contradicts itself; 2: nothing was sealed, because the' +
        '\nhistory is behind the log for longer than --wait, or no service answers.' +
        '\n\nExample:\n  assay audit seal --wait 60',
    )
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (options: Options & { readonly wait?: string }) =>
      (await import('./seals.js')).auditSeal(config(), options),
    );

  audit
    .command('keys')
    .description('all keys that seals were signed with, for an auditor to keep')
    .option('--json', 'JWKs instead of vkeys')
    .addHelpText('after', '\nExample:\n  assay audit keys >their.vkey')
    .action(async (options: Options) => (await import('./seals.js')).auditKeys(config(), options));
};
