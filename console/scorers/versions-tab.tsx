import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import type { ScorerVersion } from '../../clients/typescript/src/generated/scorers-types.js';
import { Instant } from '../client/instants.js';
import { useTextDiff } from '../client/recorded-forms.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { Select } from '../parts/field.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import { RecordedText } from '../parts/recorded-text.js';
import { RecordedRun } from '../parts/text-pieces.js';
import { scorerPermit } from './model.js';
import { diffLinesOf, type DiffLine } from './code-diff.js';
import { useVersionCode, useVersions } from './questions.js';
import { scorerCodec } from './state.js';
import type { ScorerDraft } from './use-draft.js';

/** Versions of the code, and the difference of two of them. */
export const VersionsTab = (props: { readonly scorer: Scorer; readonly draft: ScorerDraft }) => {
  const { scorer } = props;
  const versions = useVersions(scorer.id);
  const list = versions.value ?? [];
  return (
    <>
      <FaultNotice fault={versions.fault} onRetry={versions.refetch} />
      <BehindNotice isBehind={versions.isBehind} />
      {versions.isLoading && <Skeleton />}
      {versions.value !== undefined && list.length === 0 && (
        <EmptyNotice title="No version yet">
          <p>Validate the code, then save it. The first version begins to score.</p>
        </EmptyNotice>
      )}
      {list.length > 0 && (
        <div class="scorer-versions">
          <VersionTable versions={list} />
          <Comparison {...props} versions={list} />
        </div>
      )}
    </>
  );
};

const VersionTable = ({ versions }: { readonly versions: readonly ScorerVersion[] }) => (
  <div class="scroll-x" tabIndex={0} role="group" aria-label="Versions">
    <table class="grid-table">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Type</th>
          <th scope="col">Scores</th>
          <th scope="col">In chains</th>
          <th scope="col">Saved</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.id}>
            <td>v{version.version}</td>
            <td>{version.score_type}</td>
            <td>{version.scoreable_node_types.join(', ')}</td>
            <td>{version.chain_aggregation ?? '–'}</td>
            <td>
              <Instant at={version.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const Comparison = (props: {
  readonly scorer: Scorer;
  readonly draft: ScorerDraft;
  readonly versions: readonly ScorerVersion[];
}) => {
  const { scorer, draft, versions } = props;
  const [view, change] = useView(scorerCodec);
  const newest = versions[0]?.version ?? 1;
  const to = view.to ?? newest;
  const from = view.from ?? Math.max(1, newest - 1);
  const before = useVersionCode(scorer.id, from);
  const after = useVersionCode(scorer.id, to);
  const numbers = versions.map(({ version }) => ({
    value: String(version),
    text: `v${version}`,
  }));
  const restored = after.value;
  return (
    <section class="stack" aria-labelledby="scorer-comparison">
      <h2 id="scorer-comparison">Difference</h2>
      <div class="scorer-choice">
        <Select
          label="From"
          value={String(from)}
          choices={numbers}
          onChange={(version) => change({ from: Number(version) })}
        />
        <Select
          label="To"
          value={String(to)}
          choices={numbers}
          onChange={(version) => change({ to: Number(version) })}
        />
        <Button
          permit={scorerPermit(scorer)}
          isDisabled={restored === undefined || restored === draft.text}
          onClick={() => {
            if (restored !== undefined) draft.setText(restored);
            change({ tab: 'code' });
          }}
        >
          Put v{to} into the editor
        </Button>
      </div>
      <FaultNotice fault={before.fault ?? after.fault} />
      {before.value !== undefined && after.value !== undefined && (
        <CodeDifference before={before.value} after={after.value} />
      )}
    </section>
  );
};

const CodeDifference = (props: { readonly before: string; readonly after: string }) => {
  const pieces = useTextDiff(props.before, props.after, 'lines');
  if (props.before === props.after) return <p class="note">The same code.</p>;
  if (pieces === null) return <RecordedText text={props.after} />;
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="Lines of both versions">
      <table class="code-diff mono">
        <caption class="visually-hidden">Lines of both versions</caption>
        <tbody>
          {diffLinesOf(pieces).map((line, index) => (
            <DifferenceLine key={index} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const signs = { same: ' ', removed: '−', added: '+' } as const;

const DifferenceLine = ({ line }: { readonly line: DiffLine }) => {
  if (line.kind === 'folded') {
    return (
      <tr class="folded">
        <td />
        <td />
        <td>… {line.lines} lines without a change</td>
      </tr>
    );
  }
  const sign = signs[line.kind];
  return (
    <tr class={line.kind}>
      <td class="number">{line.before}</td>
      <td class="number">{line.after}</td>
      <td>
        <span class="visually-hidden">{line.kind === 'same' ? '' : `${line.kind}: `}</span>
        <span aria-hidden="true">{sign} </span>
        <RecordedRun text={line.text} />
      </td>
    </tr>
  );
};
