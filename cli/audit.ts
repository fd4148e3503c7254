import type { Command } from 'commander';
import type { Config } from '../config.js';
import type { CertificateOptions } from './audit-certificate.js';
import type { ExportOptions } from './audit-export.js';
import { addAuditSeals } from './audit-seal-commands.js';
import type { VerifyOptions } from './audit-verify.js';
import type { VerifyLogOptions } from './audit-verify-log.js';

// Modules of a command are loaded when it runs, as in main.ts.
const lazyCommands = {
  auditCertificate: async () => (await import('./audit-certificate.js')).auditCertificate,
  auditExport: async () => (await import('./audit-export.js')).auditExport,
  auditVerifyLog: async () => (await import('./audit-verify-log.js')).auditVerifyLog,
  auditVerify: async () => (await import('./audit-verify.js')).auditVerify,
};

/** `assay audit …`: commands for auditors, and for operators who work with them. */
export const addAudit = (program: Command, config: () => Config): void => {
  const audit = program
    .command('audit')
    .description('prove and verify the history without trusting the operator');

  audit
    .command('export')
    .description('write a bundle that can be checked without us; the same command goes on with it')
    .option('--organization <id>', 'of this organisation')
    .option('--system', 'of the service itself instead')
    .option('--project <id>', 'of this project only')
    .option('--resource <type:id>', 'of one resource only: trace:ID --project ID, user:ID …')
    .option('--from <place>', 'from this position or date-time on')
    .option('--to <place>', 'up to this position or date-time')
    .option('--no-data', 'who did what and when, without content')
    .option('--gzip', 'smaller files, more work')
    .requiredOption('--out <folder>', 'where to write it')
    .option('--json', 'progress and manifest as JSON lines')
    .option('--url <url>', 'of a service, instead of the data folder or the engines')
    .option('--api-key <file>', 'with --url: the file that holds an API key of an auditor')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  assay audit export --organization 3fa85f64-5717-4562-b3fc-2c963f66afa6 --out bundle\n' +
        '  assay audit export --system --no-data --gzip --out bundle',
    )
    .action(async (options: ExportOptions) =>
      (await lazyCommands.auditExport())(config(), options),
    );

  audit
    .command('certificate')
    .description(
      'certify an erasure: its entries with proofs, and a signed statement that it is done',
    )
    .option('--deletion <id>', 'records that were deleted')
    .option('--org-job <id>', 'a deletion by metadata')
    .option('--run <id>', 'a log stream or an experiment')
    .option('--project <id>', 'a project')
    .option('--dataset <id>', 'a dataset')
    .option('--out <folder>', 'where to write it: that of a bundle', '.')
    .addHelpText('after', '\nExample:\n  assay audit certificate --run ID --out bundle')
    .action(async (options: CertificateOptions) =>
      (await lazyCommands.auditCertificate())(config(), options),
    );

  audit
    .command('verify')
    .description('check a bundle by verifier/assay-verify.mjs, or each history against the log')
    .argument('[bundle]', 'the folder of a bundle; default: the log and its seals')
    .option('--key <file>', 'of a bundle: the key that you trust, a vkey, PEM or JWK')
    .option(
      '--origin <name>',
      'expected origin; a vkey alone accepts any chain of its installation',
    )
    .option('--since <file>', 'a checkpoint that you kept')
    .option('--json', 'of the log: a JSON object for each history')
    .addHelpText(
      'after',
      '\nExamples:\n  assay audit verify bundle --key their.vkey\n  assay audit verify',
    )
    .action(async (bundle: string | undefined, options: VerifyOptions & VerifyLogOptions) =>
      bundle === undefined
        ? (await lazyCommands.auditVerifyLog())(config(), options)
        : (await lazyCommands.auditVerify())(bundle, options),
    );

  addAuditSeals(audit, config);
};
