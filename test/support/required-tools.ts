import { spawnSync } from 'node:child_process';
import type { Suite } from 'mocha';

/**
 * `describe` if a tool of the machine works; otherwise the tests are skipped with a message, and
 * fail when CI is true, so that missing coverage is noticed. `tryIt` is a command that ends with 0
 * where the tool works.
 */
export const describeWithTool = (
  tool: { readonly tryIt: readonly string[]; readonly enable: string },
  title: string,
  tests: (this: Suite) => void,
): void => {
  const [command = '', ...words] = tool.tryIt;
  if (spawnSync(command, words, { stdio: 'ignore' }).status === 0) {
    describe(title, tests);
    return;
  }
  const why = `\`${tool.tryIt.join(' ')}\` does not work here. To enable it: ${tool.enable}`;
  if (process.env['CI'] === 'true') {
    describe(title, () => {
      it('can be proven on this machine', () => {
        throw new Error(why);
      });
    });
    return;
  }
  process.stdout.write(`\nSKIPPED: ${title}. ${why}\n\n`);
  describe.skip(title, tests);
};

/** Counts system calls and lets them fail. */
export const strace = {
  tryIt: ['strace', '-f', '-o', '/dev/null', 'true'],
  enable: 'apt-get install strace, and allow ptrace',
};
/** A file system of one's own, without root. */
export const ownMounts = {
  tryIt: ['unshare', '-Urm', 'true'],
  enable: 'apt-get install util-linux, and allow user namespaces',
};
/** Notifications between processes. */
export const natsServer = {
  tryIt: ['nats-server', '--version'],
  enable: 'apt-get install nats-server',
};
/** Certificates for tests of TLS. */
export const openssl = {
  tryIt: ['openssl', 'version'],
  enable: 'apt-get install openssl',
};
/** Runs the guide's examples. */
export const curl = {
  tryIt: ['curl', '--version'],
  enable: 'apt-get install curl',
};
/** Reads answers in a shell as the guide does. */
export const jq = {
  tryIt: ['jq', '--version'],
  enable: 'apt-get install jq',
};
/** Shows the console as people see it. */
export const chromium = {
  tryIt: ['chromium', '--version'],
  enable: 'apt-get install chromium',
};
