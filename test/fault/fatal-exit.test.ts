import { expect } from 'chai';
import { startService, type ProcessExit } from '../support/service-process.js';
import { temporaryFolder } from '../support/folder.js';
import { runs } from '../support/runs.js';
import { describeWithTool, strace } from '../support/required-tools.js';

/** Ends; in npm run test:long ten. */
const ends = runs(1);
/** More than a start needs. */
const syncsBefore = 200;

describeWithTool(strace, 'a service whose disk fails for good', function () {
  this.timeout(60_000 * ends);

  /** Writes traces, which the read side folds meanwhile, until the service is gone. */
  const end = async (dir: string): Promise<ProcessExit> => {
    const calls = 'fsync,fdatasync';
    const prefix = [
      'strace',
      '-f',
      '--seccomp-bpf',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${calls}`,
    ];
    const failing = ['-e', `inject=${calls}:error=EIO:when=${syncsBefore}+`];
    const service = await startService({ dir, prefix: [...prefix, ...failing] });
    const { id } = (
      await service.client.call<{ id: string }>('POST', '/v2/projects', { body: { name: 'p' } })
    ).body;
    const body = { traces: [{ input: 'a', spans: [{ type: 'tool', input: 'b' }] }] };
    const path = `/v2/projects/${id}/traces`;
    const write = () => service.client.send('POST', path, { body }).then(() => null);
    for (;;) {
      const exit = await Promise.race([service.exited, write().catch(() => null)]);
      if (exit === null) continue;
      service.client.close();
      return exit;
    }
  };

  it('exits with 70, in the midst of whatever its threads do', async () => {
    const { dir, remove } = await temporaryFolder();
    const exits: ProcessExit[] = [];
    while (exits.length < ends) {
      exits.push(await end(`${dir}/${exits.length}`));
    }
    const wanted = { code: 70, signal: null };
    expect(exits).to.deep.equal(exits.map(() => wanted));
    await remove();
  });
});
