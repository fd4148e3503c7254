import { expect } from 'chai';
import { startedAs } from '../../cli/program-name.js';
import { runAssay } from '../support/service-process.js';
import { programName } from '../support/test-environment.js';

describe('the name of the program in its messages', () => {
  it('is the command that started it, in a clone and where it is installed', () => {
    expect(startedAs('/srv/assay/dist/assay.js', '/srv/assay')).to.equal('node dist/assay.js');
    expect(startedAs('/srv/assay/dist/assay.js', '/home/ada')).to.equal(
      'node /srv/assay/dist/assay.js',
    );
    expect(startedAs('/usr/local/bin/assay', '/usr')).to.equal('assay');
  });

  it('is in the usage and the examples of a command, and nowhere else in them', async () => {
    const { output } = await runAssay('/nowhere', 'import', '--help');
    expect(output).to.include(`Usage: ${programName} import`);
    expect(output).to.include(`  ${programName} import runs.jsonl --project airline --dry-run`);
    expect(output).to.include(
      `ASSAY_URL=https://assay.example.org ${programName} import spans.jsonl`,
    );
    expect(output).not.to.match(/(?<!\.)\bassay [a-z]/);
  });
});
