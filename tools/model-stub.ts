import type { Command } from 'commander';
import { wholeNumber } from './terminal/numbers.js';

const scriptHelp = `
It takes POST …/chat/completions as OpenAI does and POST …/messages as Anthropic does, and forgets
everything at its end. Without a script it echoes the last message; asked for JSON by a schema, or
by a tool that the request forces, it answers a value that fits, the same for the same texts.
GET /calls lists what came, keys included; DELETE /calls forgets it.

A script is JSON. The first rule whose text is in a message, and whose model is the request's,
answers; its answers go in turn, and the last one stays. All members may be left out:

  {"rules": [
    {"when": "capital", "model": "gpt-4o", "answers": [
      {"status": 503, "text": "Try again", "headers": {"retry-after": "1"}, "delay_ms": 20},
      {"text": "Oslo", "finish": "stop",
       "usage": {"input": 1000, "cache_read": 800, "output": 9, "reasoning": 4}}]},
    {"when": "Rate it", "answers": [{"json": {"explanation": "Short.", "rating": true}}]}]}

With a status from 300 on the text is the message of an error; {{key}} in it is the request's key.

Examples:
  assay model-stub --port 9090
  ASSAY_EGRESS_ALLOW=127.0.0.1:9090 assay serve     # and a custom integration with
                                                    # "endpoint": "http://127.0.0.1:9090/v1"`;

/** `assay model-stub`: a provider of models on this machine, for trying and for tests. */
export const addModelStub = (program: Command): void => {
  program
    .command('model-stub')
    .description('run a provider of models on 127.0.0.1 that answers by a script, without a key')
    .option('--port <number>', 'port to listen on; 0 = any free one', '9090')
    .option('--script <file>', 'rules of its answers (default: echo, or JSON that fits)')
    .addHelpText('after', scriptHelp)
    .action(async ({ port, script }: { readonly port: string; readonly script?: string }) => {
      const { runModelStub } = await import('./model-stub/run.js');
      return runModelStub(wholeNumber('--port', port, 0), script ?? null, process.stdout);
    });
};
