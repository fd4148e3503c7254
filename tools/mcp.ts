import type { Command } from 'commander';
import type { McpOptions } from './mcp/server.js';
import type { ClientSettings } from '../config/client-settings.js';
import { withServiceOptions } from './service-options.js';

const clientConfiguration = `{
  "mcpServers": {
    "assay": {
      "command": "node",
      "args": ["/path/to/assay/dist/assay.js", "mcp", "--url", "http://localhost:8080",
               "--project", "airline"],
      "env": { "ASSAY_API_KEY": "…" }
    }
  }
}`;

/**
 * `assay mcp`: tools for a model over stdin and stdout. Only this command loads the protocol's
 * library.
 */
export const addMcp = (program: Command, environment: () => ClientSettings): void => {
  withServiceOptions(program.command('mcp'))
    .description('tools for a language model (Model Context Protocol, stdio) on a running service')
    .option('--project <name>', 'default project of the tools, by name or id (ASSAY_PROJECT)')
    .option('--write', 'also offer tools that log, rate and create; default: tools that read only')
    .addHelpText(
      'after',
      '\nIt speaks the protocol on stdin and stdout, and ends with stdin; a line\n' +
        'about itself goes to stderr. It may do what its key may: a viewer’s is enough to read.\n' +
        '\nExamples:\n  ASSAY_API_KEY=… assay mcp --project airline\n' +
        '  ASSAY_API_KEY=… assay mcp --url https://assay.example.org --write\n' +
        `\nIn the configuration of a desktop client:\n\n${clientConfiguration}\n`,
    )
    .action(async (options: Partial<McpOptions> & Pick<McpOptions, 'write'>) => {
      const { url, apiKey, project: usual } = environment();
      const { serveMcp } = await import('./mcp/server.js');
      const project = options.project ?? usual;
      return serveMcp({
        ...options,
        ...(project !== null && { project }),
        url: options.url ?? url,
        key: options.key ?? apiKey,
      });
    });
};
