/** Oldest Node version that runs the service; `engines` of package.json names the same. */
export const minimumNode = '24';

/**
 * Null when `version` is new enough; else one sentence with the running version, the required one,
 * and what to do.
 */
export const oldNodeMessage = (version: string): string | null => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minimumMajor = 0, minimumMinor = 0] = minimumNode.split('.').map(Number);
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return null;
  return (
    `Assay needs Node ${minimumNode} or newer and was started by Node ${version}: use npm's ` +
    'scripts ("npm start") or node_modules/.bin/node, which "npm ci" installs, or put Node ' +
    `${minimumNode} into PATH.`
  );
};

// Every entry point imports this module first, and statically nothing that an older Node cannot
// link, such as `node:sqlite`: linking would fail without a hint what to do.
const message = oldNodeMessage(process.versions.node);
if (message !== null) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
