import { expect } from 'chai';
import { openRoundRobin } from '../../command-api/run-scoring/round-robin.js';
import { projectId } from '../support/access-events.js';

describe('round robin of projects', () => {
  const hanging = [1, 2, 3, 4].map(projectId);
  const [quiet, other] = [projectId(5), projectId(6)];

  it('reserves a place for projects that score, however many have a scorer that hangs', () => {
    const order = openRoundRobin(2);
    for (const project of hanging) {
      expect(order.begin([project])).to.equal(project);
      order.end(project, true);
    }
    expect(order.begin(hanging)).to.equal(hanging[0]);
    expect(order.begin(hanging)).to.equal(null);
    expect(order.begin([...hanging, quiet])).to.equal(quiet);
    order.end(quiet, false);
    expect(order.begin([...hanging, quiet, other])).to.equal(other);
  });

  it('serves every project even with a single place', () => {
    const order = openRoundRobin(1);
    order.begin(hanging.slice(0, 1));
    order.end(projectId(1), true);
    const served: unknown[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const project = order.begin([projectId(1), quiet, other]);
      served.push(project);
      if (project !== null) order.end(project, project === projectId(1));
    }
    expect(served).to.deep.equal([quiet, projectId(1), other, projectId(1), quiet]);
  });

  it('runs one round at a time per project', () => {
    const order = openRoundRobin(4);
    expect(order.begin([quiet])).to.equal(quiet);
    expect(order.begin([quiet])).to.equal(null);
    expect(order.begin([quiet, other])).to.equal(other);
  });
});
