import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useKeys } from '../client/keys.js';
import { useProjectPermit } from '../client/project.js';
import { useAction, useQuery } from '../client/queries.js';
import { Button } from '../parts/button.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { PageHeading } from '../parts/heading.js';
import { BehindNotice, EmptyNotice, FaultNotice, Skeleton } from '../parts/notice.js';
import type { PageProps } from '../parts/page.js';
import type { Permit } from '../parts/permits.js';
import { usageText, type RatingTemplate } from './model.js';
import { useTemplates } from './questions.js';
import { EditDialog, TemplateDialog, templateNouns } from './template-dialog.js';
import { TemplateList } from './template-list.js';

type Open =
  | { readonly is: 'new' }
  | { readonly is: 'edit' | 'delete'; readonly template: RatingTemplate }
  | null;

/** Templates of a project in their order: they say what is judged. */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? '';
  const { navigation } = useSurroundings();
  const templates = useTemplates(projectId);
  const permit = useProjectPermit(projectId, 'editor');
  const [open, setOpen] = useState<Open>(null);
  const make = (): void => {
    if (permit.isAllowed) setOpen({ is: 'new' });
  };
  useKeys([{ keys: 'n', what: 'New template', run: make }], [permit.isAllowed]);
  return (
    <>
      <PageHeading title="Templates">
        <Button permit={permit} onClick={make}>
          New template
        </Button>
        <a href={navigation.href(`/p/${projectId}/rate`)}>Rate</a>
      </PageHeading>
      <FaultNotice fault={templates.fault} onRetry={templates.refetch} />
      <BehindNotice isBehind={templates.isBehind} />
      {permit.reason !== null && <p class="note">{permit.reason}</p>}
      {templates.isLoading && <Skeleton />}
      {templates.value?.length === 0 && (
        <EmptyNotice title="No template yet">
          <p>
            A template says what is judged: liked or not, stars, a score, tags, a choice or a text.
          </p>
        </EmptyNotice>
      )}
      {templates.value !== undefined && templates.value.length > 0 && (
        <TemplateList
          projectId={projectId}
          templates={templates.value}
          answeredAt={templates.answeredAt}
          permit={permit}
          onEdit={(template) => setOpen({ is: 'edit', template })}
          onDelete={(template) => setOpen({ is: 'delete', template })}
        />
      )}
      <OpenDialog projectId={projectId} permit={permit} open={open} onClose={() => setOpen(null)} />
    </>
  );
};

const OpenDialog = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly open: Open;
  readonly onClose: () => void;
}) => {
  const { open, ...place } = props;
  if (open === null) return null;
  if (open.is === 'new') return <TemplateDialog {...place} />;
  if (open.is === 'edit') return <EditDialog {...place} template={open.template} />;
  return <DeleteTemplate {...place} template={open.template} />;
};

const DeleteTemplate = (props: {
  readonly projectId: string;
  readonly permit: Permit<'editor'>;
  readonly template: RatingTemplate;
  readonly onClose: () => void;
}) => {
  const { template } = props;
  const place = { project_id: props.projectId, template_id: template.id };
  const current = useQuery({
    key: ['templates', props.projectId, template.id],
    ask: (operations, signal) => operations.annotations.template(place, { signal }),
  });
  const remove = useAction(
    props.permit,
    (operations, _input, options) => operations.annotations.deleteTemplate(place, options),
    templateNouns,
  );
  const confirm = async (): Promise<void> => {
    if (await remove.run()) props.onClose();
  };
  const count = current.value?.usage_count;
  return (
    <ConfirmDialog
      title={`Delete ${template.name}?`}
      name={template.name}
      action="Delete"
      isRunning={remove.isRunning || count === undefined}
      onConfirm={() => void confirm()}
      onClose={props.onClose}
    >
      <p>{count === undefined ? 'Counting its ratings …' : `It has ${usageText(count)}.`}</p>
      <p>Aggregates, filters and lists leave them out from then on. This cannot be undone.</p>
      <FaultNotice fault={current.fault ?? remove.fault} />
    </ConfirmDialog>
  );
};
