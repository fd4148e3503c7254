import { Fault } from '../kernel/fault.js';

/** What a shell tells of a program that wrote to nobody: 128 and the number of SIGPIPE. */
const closedPipeExitCode = 141;

/**
 * Ends a command whose reader went away, `assay inspect … | head`, without a word: it has what it
 * wants. Whoever listens to the stream as well has an answer of its own, as an export has, which
 * is not whole then.
 */
export const exitOnClosedPipe = (fail: (error: unknown) => void): void => {
  const { stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (stdout.listenerCount('error') > 1) return;
    if (error.code === 'EPIPE') process.exit(closedPipeExitCode);
    fail(new Fault('unavailable', `the output cannot be written: ${error.message}`));
  });
  // Nobody reads how far it is: that is no reason not to finish.
  stderr.on('error', () => undefined);
};
