import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { bareEnvironment, program } from './test-environment.js';

type Members = Readonly<Record<string, unknown>>;
export type ToolAnswer = {
  readonly isError: boolean;
  /** Text of the answer for the model. */
  readonly text: string;
  /** The answer as an object; `{}` for an error. */
  readonly value: Members;
};

/** `assay mcp` as a desktop client starts it, and the SDK's own client that speaks to it. */
export type McpProcess = {
  readonly tools: readonly Tool[];
  readonly instructions: string;
  readonly pid: number | null;
  /** Throws when the protocol itself fails, as when the call is cancelled. */
  readonly call: (tool: string, args?: Members, signal?: AbortSignal) => Promise<ToolAnswer>;
  /** All that it wrote to stderr. */
  readonly stderr: () => string;
  readonly close: () => Promise<void>;
};

/** Starts `assay mcp`; without `key` it gets none, neither by arguments nor by the environment. */
export const startMcp = async (
  args: readonly string[],
  key: string | null,
): Promise<McpProcess> => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    env: { ...bareEnvironment(), ...(key !== null && { ASSAY_API_KEY: key }) },
    stderr: 'pipe',
  });
  let errors = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const client = new Client({ name: 'assay-test', version: '1' });
  await client.connect(transport).catch((error: unknown) => {
    throw new Error(`assay mcp does not answer: ${errors}`, { cause: error });
  });
  // After listing them, the client validates each answer against its output schema.
  const { tools } = await client.listTools();
  return {
    tools,
    instructions: client.getInstructions() ?? '',
    pid: transport.pid,
    call: async (name, given = {}, signal) => {
      const said = (await client.callTool({ name, arguments: given }, undefined, {
        ...(signal !== undefined && { signal }),
      })) as CallToolResult;
      const [first] = said.content;
      return {
        isError: said.isError === true,
        text: first?.type === 'text' ? first.text : '',
        value: said.structuredContent ?? {},
      };
    },
    stderr: () => errors,
    close: () => client.close(),
  };
};
