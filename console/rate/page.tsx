import { useMemo, useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useProject } from '../client/project.js';
import { useCaller } from '../client/queries.js';
import { useScopeFields } from '../client/scope-fields.js';
import { useView } from '../client/view.js';
import { printFilter } from '../language/print-filter.js';
import { PageHeading } from '../parts/heading.js';
import { FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import { projectPermit } from '../parts/permits.js';
import { runSelector, scopeCodec, windowOf } from '../parts/record-scope.js';
import { useTemplates } from '../templates/questions.js';
import { NoTemplates } from './empty-queue.js';
import { unratedTree } from './questions.js';
import { ScopeFields, ScopeLine } from './queue-scope.js';
import { RatingQueueView } from './queue-view.js';
import { rateCodec } from './state.js';

/** The traces of a filter that the caller has not rated, one after the other. */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? '';
  const { navigation, service } = useSurroundings();
  const [view, change] = useView(rateCodec);
  const [asks, setAsks] = useState(0);
  const [isChoosing, setIsChoosing] = useState(false);
  const scope = scopeCodec.write(view);
  const now = useMemo(() => service.now(), [scope, asks]);
  const fields = useScopeFields({
    projectId,
    population: 'trace',
    view,
    onChange: change,
    onFind: () => setIsChoosing(true),
  });
  const { context, tree, problems } = fields;
  const caller = useCaller();
  const templates = useTemplates(projectId);
  const project = useProject(projectId).value;
  const callerId = caller.value?.id;
  const isBroken = callerId !== undefined && problems.length > 0;
  const listView = (by: string): string =>
    scopeCodec.write({ ...view, f: printFilter(unratedTree(tree, by), context.me) });
  const isKnown = callerId !== undefined && templates.value !== undefined && project !== undefined;
  return (
    <>
      <PageHeading title="Rate">
        <ScopeLine view={view} onOpen={() => setIsChoosing(true)} />
        {callerId !== undefined && !isBroken && (
          <a href={navigation.href(`/p/${projectId}/traces`, listView(callerId))}>Open as list</a>
        )}
        <a href={navigation.href(`/p/${projectId}/templates`)}>Templates</a>
      </PageHeading>
      {isBroken && <BrokenFilter message={problems[0]?.message ?? ''} />}
      {(isChoosing || isBroken) && (
        <ScopeFields
          projectId={projectId}
          fields={fields}
          onClose={isBroken ? null : () => setIsChoosing(false)}
        />
      )}
      <FaultNotice fault={caller.fault ?? templates.fault} onRetry={templates.refetch} />
      {!isKnown && templates.fault === null && <Skeleton />}
      {templates.value?.length === 0 && <NoTemplates projectId={projectId} />}
      {isKnown && !isBroken && templates.value.length > 0 && (
        <RatingQueueView
          projectId={projectId}
          templates={templates.value}
          permit={projectPermit(project, 'annotator')}
          view={view}
          onChange={change}
          onAskAgain={() => setAsks(asks + 1)}
          queue={{
            callerId,
            question: {
              project_id: projectId,
              ...runSelector(view.run),
              ...windowOf(view.t, now),
            },
            tree,
            order: view.order,
            now,
            isEnabled: true,
          }}
        />
      )}
    </>
  );
};

const BrokenFilter = (props: { readonly message: string }) => (
  <p class="bad" role="alert">
    The filter cannot be read: {props.message}
  </p>
);
