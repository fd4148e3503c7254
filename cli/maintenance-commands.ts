import type { Command } from 'commander';
import type { Config } from '../config.js';
import type { BackupOptions } from './backup.js';
import type { DoctorOptions } from './doctor/doctor.js';

/** Operators' commands for access, backup, restore and diagnosis. */
export const addMaintenance = (program: Command, config: () => Config): void => {
  program
    .command('invite')
    .description('a link with which a user sets a password, once: for one who has none or lost it')
    .argument('<email>', 'of a user; new ones are invited with POST /v2/invite_users')
    .option('--ops <url>', 'operators’ listener of a process that plays command, of several')
    .option('--json', 'one JSON object instead of sentences')
    .addHelpText('after', '\nExample:\n  assay invite admin@localhost')
    .action(async (email: string, options: { ops?: string; json?: true }) =>
      (await import('./invite.js')).invite(config(), email, options),
    );
  program
    .command('backup')
    .description('copy the log and the keys into a folder, also while the service runs')
    .argument('<folder>', 'folder of the backup; an existing backup is extended by newer events')
    .option('--keys <folder>', 'folder for the keys (default: keys in the backup)')
    .option('--json', 'one JSON object instead of sentences')
    .addHelpText(
      'after',
      '\nLog and keys together give access to everything: keep them apart. Read models are ' +
        'built from the log and not copied.\nA backup that broke off goes on when it is given ' +
        'again.\n\n' +
        'Examples:\n  assay backup /srv/backup --keys /srv/assay-keys\n' +
        '  assay backup /srv/backup --json | jq -r .position',
    )
    .action(async (folder: string, options: BackupOptions) =>
      (await import('./backup.js')).backup(config(), folder, options),
    );
  program
    .command('restore')
    .description('restore a backup into an empty data folder; the service must be stopped')
    .argument('<folder>', 'folder of the backup')
    .option('--keys <folder>', 'folder of the keys (default: keys in the backup)')
    .option('--json', 'one JSON object instead of sentences')
    .addHelpText(
      'after',
      '\nExamples:\n  mv data data.old && assay restore /srv/backup --keys /srv/assay-keys\n' +
        '  ASSAY_DATA_DIR=/srv/assay assay restore /srv/backup',
    )
    .action(async (folder: string, options: BackupOptions) =>
      (await import('./backup.js')).restore(config(), folder, options),
    );
  program
    .command('doctor')
    .description('check the data folder, engines and settings; exit 1 on a problem')
    .option('--quick', 'check the end of the log only, not each event')
    .option('--backup <folder>', 'check a backup instead of the data folder')
    .option('--keys <folder>', 'folder of the keys of the backup (default: keys in the backup)')
    .option('--json', 'one JSON object a row instead of a table')
    .addHelpText(
      'after',
      '\nIt mends nothing and is harmless while the service runs.\n\nExamples:\n  assay doctor\n' +
        '  assay doctor --backup /srv/backup --keys /srv/assay-keys\n' +
        '  assay doctor --json | jq -r \'select(.state != "good") | .to_do\'',
    )
    .action(async (options: DoctorOptions) =>
      (await import('./doctor/doctor.js')).doctor(config(), options),
    );
};
