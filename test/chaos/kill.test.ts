import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { killManyTimes, type KillReport } from './kill-loop.js';

describe('a service that is killed under load', function () {
  this.timeout(600_000 * runs(1));

  let killed: KillReport;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;

  before(async () => {
    const seed = drawSeed('kills under load');
    folder = await temporaryFolder();
    killed = await killManyTimes({
      dir: folder.dir,
      seed,
      underLoad: runs(19),
      atBoot: runs(6),
    });
    process.stdout.write(
      `    ${killed.kills} kills, ${killed.acknowledged} writes acknowledged, ` +
        `${killed.unknown} unknown, ${killed.log.events} events, ` +
        `${killed.seals.seals} seals\n`,
    );
  });
  after(() => folder.remove());

  it('loses nothing that it acknowledged and has nothing twice', () => {
    expect(killed.brokenInLog).to.deep.equal([]);
    expect(killed.acknowledged).to.be.greaterThan(killed.kills);
  });
  it('keeps revisions contiguous, event ids unique and positions in order', () => {
    expect(killed.log.problems).to.deep.equal([]);
  });
  it('answers a repeat of any request as if nothing had happened', () => {
    expect(killed.surprises).to.deep.equal([]);
  });
  it('returns over HTTP what the log has, record by record', () => {
    expect(killed.brokenOverHttp).to.deep.equal([]);
    const spans = [...killed.log.traces.values()].flatMap((trace) => trace.spans).length;
    expect(killed.http.counted).to.deep.equal({
      traces: killed.log.traces.size,
      sessions: killed.log.sessionsOfTraces,
      spans,
    });
    expect(killed.http.sessions).to.equal(killed.log.sessions);
  });
  it('signed only what its history is, whenever it was killed', () => {
    expect(killed.seals.problems).to.deep.equal([]);
    expect(killed.sealedLast.refused).to.deep.equal([]);
    expect(killed.seals.seals).to.be.greaterThan(1);
  });
  it('has each event in its history, also of what was erased meanwhile', () => {
    for (const { status } of killed.histories) expect(status).to.equal('intact');
    expect(killed.histories.reduce((sum, { erased }) => sum + erased, 0)).to.be.greaterThan(0);
  });
  it('has read models that equal a replay from scratch', () => {
    expect(killed.verified.code, killed.verified.output).to.equal(0);
  });
  it('shuts down in order on SIGTERM', () => {
    expect(killed.stopped).to.deep.equal({ code: 0, signal: null });
  });
});
