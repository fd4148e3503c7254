import { Assay } from '../../clients/typescript/src/node.js';

/**
 * A program that logs ten traces and ends as requested: `idle`, `exit`, `throws`, `signal`, or
 * `open`, with a running trace; `flood` logs some 80 MB before. It prints the losses.
 */
const [how = 'idle', url = '', exitMs = '2000'] = process.argv.slice(2);
const assay = new Assay({
  url,
  apiKey: 'a-key',
  project: '11111111-1111-4111-8111-111111111111',
  logger: {
    bytesMax: 8 * 1_048_576,
    intervalMs: 60_000,
    exitMs: Number(exitMs),
    onLoss: ({ reason, lost }) => process.stdout.write(`lost ${lost}, ${reason}\n`),
  },
});
for (let i = 0; i < 10; i += 1) assay.trace(`t${i}`, () => assay.span('s', () => i));
if (how === 'flood') {
  for (let i = 0; i < 80_000; i += 1) {
    assay.trace('flood', { input: `${i} ${'x'.repeat(1_000)}` }, () => i);
    if (i % 1_000 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  process.stdout.write('flooded\n');
}
if (how === 'exit') process.exit(3);
if (how === 'throws') throw new Error('of the program');
if (how === 'open') {
  void assay.trace('open', async () => {
    assay.span('inside', () => 1);
    await new Promise(() => undefined);
  });
}
if (how === 'signal') {
  setInterval(() => undefined, 60_000);
  process.stdout.write('ready\n');
}
