import type { Command } from 'commander';
import type { Config } from '../config.js';
import type { CertificateOptions } from './audit/certificate.js';
import type { ExportOptions } from './audit/export.js';
import { addAuditSeals } from './audit/seal-commands.js';
import type { VerifyOptions } from './audit/verify.js';
import type { VerifyLogOptions } from './audit/verify-log.js';

// Modules of a command are loaded when it runs, as in main.ts.
const lazyCommands = {
  auditCertificate: async () => (await import('./audit/certificate.js')).auditCertificate,
  auditExport: async () => (await import('./audit/export.js')).auditExport,
  auditVerifyLog: async () => (await import('./audit/verify-log.js')).auditVerifyLog,
  auditVerify: async () => (await import('./audit/verify.js')).auditVerify,
};

/** `assay audit …`: commands for auditors, and for operators who work with them. */
export const addAudit = (program: Command, config: () => Config): void => {
  const audit = program
    .command('audit')
    .description('prove and verify the history without trusting the operator');

  audit
    .command('export')
    .description('write a bundle that can be verified offline; repeat the command to continue it')
    .option('--organization <id>', 'history of this organisation')
    .option('--system', 'history of the service itself')
    .option('--project <id>', 'only entries of this project')
    .option('--resource <type:id>', 'only of one resource: trace:ID --project ID, user:ID …')
    .option('--from <place>', 'first position or date-time')
    .option('--to <place>', 'last position or date-time')
    .option('--no-data', 'leave out the content: entries only')
    .option('--gzip', 'compress the files')
    .requiredOption('--out <folder>', 'folder of the bundle')
    .option('--json', 'progress and manifest as JSON lines')
    .option('--url <url>', 'a running service, instead of the data folder or engines')
    .option('--api-key <file>', 'with --url: file with an API key of an auditor')
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
    .description('certify an erasure: entries with proofs, and a signed statement')
    .option('--deletion <id>', 'id of a deletion of records')
    .option('--org-job <id>', 'id of a deletion by metadata')
    .option('--run <id>', 'id of a log stream or an experiment')
    .option('--project <id>', 'id of a project')
    .option('--dataset <id>', 'id of a dataset')
    .option('--out <folder>', 'folder of the bundle', '.')
    .addHelpText('after', '\nExample:\n  assay audit certificate --run ID --out bundle')
    .action(async (options: CertificateOptions) =>
      (await lazyCommands.auditCertificate())(config(), options),
    );

  audit
    .command('verify')
    .description('check a bundle by verifier/assay-verify.mjs, or each history against the log')
    .argument('[bundle]', 'the folder of a bundle; default: the log and its seals')
    .option('--key <file>', 'for a bundle: the trusted key, as vkey, PEM or JWK')
    .option(
      '--origin <name>',
      'expected origin; a vkey alone accepts any chain of its installation',
    )
    .option('--since <file>', 'checkpoint of an earlier verification')
    .option('--json', 'for the log: one JSON object for each history')
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
