import { useState } from 'preact/hooks';
import type { Scorer } from '../../clients/typescript/src/generated/scorers-types-2.js';
import { useSurroundings } from '../client/context.js';
import { useView } from '../client/view.js';
import { Button } from '../parts/button.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { Tabs } from '../parts/tabs.js';
import { markedText } from '../parts/text-pieces.js';
import { CodeTab } from './code-tab.js';
import { DeleteScorer } from './delete-scorer.js';
import { DetailsTab } from './details-tab.js';
import { scorerPermit, scorerText } from './model.js';
import { useScorer } from './questions.js';
import { scorerCodec } from './state.js';
import { useScorerDraft } from './use-draft.js';
import { VersionsTab } from './versions-tab.js';

const tabs = [
  { key: 'code', text: 'Code' },
  { key: 'versions', text: 'Versions' },
  { key: 'details', text: 'Details' },
] as const;

/** One scorer: does its code work? */
export const Page = ({ params }: PageProps) => {
  const scorer = useScorer(params['scorer_id'] ?? '');
  const { value } = scorer;
  return (
    <>
      <PageHeading title={value === undefined ? 'Scorer' : markedText(value.name)}>
        {value !== undefined && <HeadFacts scorer={value} />}
      </PageHeading>
      <FaultNotice fault={scorer.fault} onRetry={scorer.refetch} />
      <BehindNotice isBehind={scorer.isBehind} />
      {scorer.isLoading && <Skeleton />}
      {value?.scorer_type === 'code' && <CodeScorer scorer={value} />}
      {value?.scorer_type === 'preset' && <PresetScorer scorer={value} />}
    </>
  );
};

const HeadFacts = ({ scorer }: { readonly scorer: Scorer }) => {
  const { navigation } = useSurroundings();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <>
      <span class="muted">{scorerText(scorer)}</span>
      {scorer.scorer_type === 'code' && (
        <span class="page-actions">
          <Button look="danger" permit={scorerPermit(scorer)} onClick={() => setIsDeleting(true)}>
            Delete…
          </Button>
        </span>
      )}
      {isDeleting && (
        <DeleteScorer
          scorer={scorer}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => navigation.go('/scorers')}
        />
      )}
    </>
  );
};

const CodeScorer = ({ scorer }: { readonly scorer: Scorer }) => {
  const [view, change] = useView(scorerCodec);
  const draft = useScorerDraft(scorer);
  return (
    <>
      <Tabs
        label="Views of the scorer"
        tabs={tabs}
        selected={view.tab}
        onSelect={(tab) => change({ tab })}
      />
      {view.tab === 'code' && <CodeTab scorer={scorer} draft={draft} />}
      {view.tab === 'versions' && <VersionsTab scorer={scorer} draft={draft} />}
      {view.tab === 'details' && <DetailsTab key={scorer.updated_at} scorer={scorer} />}
    </>
  );
};

const PresetScorer = ({ scorer }: { readonly scorer: Scorer }) => (
  <section class="card stack">
    <p>{scorer.description}</p>
    <p class="note">
      The service computes this metric for every record that has an output and a reference. It has
      no code, and cannot be changed.
    </p>
  </section>
);
