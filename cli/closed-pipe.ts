import { Fault } from '../kernel/fault.js';

/**
 * Exit code of a shell for a program that wrote to a closed pipe: 128 and the number of SIGPIPE.
 */
const closedPipeExitCode = 141;

/**
 * Ends a command silently once its reader closed the pipe, as in `assay inspect … | head`. Commands
 * with their own listener on the stream, such as exports, handle it themselves.
 */
export const exitOnClosedPipe = (fail: (error: unknown) => void): void => {
  const { stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (stdout.listenerCount('error') > 1) return;
    if (error.code === 'EPIPE') process.exit(closedPipeExitCode);
    fail(new Fault('unavailable', `the output cannot be written: ${error.message}`));
  });
  // Without a reader of progress the command still finishes.
  stderr.on('error', () => undefined);
};
