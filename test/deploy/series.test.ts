import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { repository } from '../support/test-environment.js';
import { temporaryFolder } from '../support/folder.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
};
const rules = (
  parse(read('deploy/prometheus/assay.rules.yml')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  }
).groups.flatMap((group) => group.rules);

type Panel = {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
};
const { panels } = JSON.parse(read('deploy/grafana/assay.json')) as {
  readonly panels: readonly Panel[];
};
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

/** Names of series in an expression; of a histogram its own. */
const seriesIn = (expr: string): readonly string[] =>
  (expr.match(/\b(?:assay|nodejs|process)_\w+/g) ?? []).map((name) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  );

describe('alerts and dashboard', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let metrics: string;
  before(async () => {
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
    await service.client.call('GET', '/v2/healthcheck');
    // The events of the first start reach the history a moment later.
    await pollUntil('an empty queue', 20_000, async () => {
      metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      return metrics.includes('\nassay_history_lag_events 0\n');
    });
  });
  after(async () => {
    await service.stop();
    await folder.remove();
  });

  it('ask for series that a running service has', () => {
    const known = new Set([...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const asked = [...new Set(expressions.flatMap(seriesIn))];
    expect(asked.length).to.be.greaterThan(25);
    expect(asked.filter((name) => !known.has(name))).to.deep.equal([]);
  });

  it('show every series of ours', () => {
    const ours = [...metrics.matchAll(/^# TYPE (assay_\w+) /gm)].map(([, name]) => name);
    const shown = new Set(expressions.flatMap(seriesIn));
    expect(ours.filter((name = '') => !shown.has(name))).to.deep.equal([]);
  });

  it('have no tenant in their labels', () => {
    const labels = [...metrics.matchAll(/^assay_\w+\{([^}]*)\}/gm)].flatMap(([, pairs = '']) =>
      [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label),
    );
    const plain =
      'operation status projection kind did why reason witness where le provider purpose outcome';
    expect(
      [...new Set(labels)].filter((label = '') => !plain.split(' ').includes(label)),
    ).to.deep.equal([]);
  });

  it('have a page of the runbook each, which names the alert', () => {
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook, alert).to.match(/^docs\/runbook\/[a-z-]+\.md$/);
      const page = read(annotations.runbook);
      expect(page, alert).to.contain(`\nAlert \`${alert}\` (${labels.severity}): `);
      expect(['page', 'ticket'], alert).to.include(labels.severity);
    }
    const pages = rules.map(({ annotations }) => annotations.runbook);
    expect(rules).to.have.length(new Set(rules.map(({ alert }) => alert)).size);
    expect(rules).to.have.length(new Set(pages).size);
    const described = readdirSync(join(repository, 'docs/runbook'))
      .map((name) => `docs/runbook/${name}`)
      .filter((path) => /^Alert `/m.test(read(path)));
    expect(described).to.have.members(pages);
  });

  it('have a row for each part of the service', () => {
    const rows = panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    expect(rows).to.deep.equal([
      'Log',
      'Read models',
      'History and seals',
      'HTTP',
      'Sandbox',
      'Models',
    ]);
  });

  it('tell how the service is when it has nothing to do', () => {
    for (const line of [
      'assay_log_writable 1',
      'assay_history_lag_events 0',
      'assay_erasure_pending{where="log"} 0',
      'assay_erasure_pending{where="documents"} 0',
      'assay_erasure_pending{where="records"} 0',
      'assay_seal_interval_seconds 3600',
    ]) {
      expect(metrics).to.contain(`\n${line}\n`);
    }
  });
});
