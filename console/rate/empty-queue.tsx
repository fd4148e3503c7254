import { useState } from 'preact/hooks';
import { useSurroundings } from '../client/context.js';
import { useProjectPermit } from '../client/project.js';
import { NewestRecord } from '../explorer/newest-record.js';
import { useBounds } from '../explorer/questions.js';
import { Button } from '../parts/button.js';
import { EmptyNotice } from '../parts/notice.js';
import { runSelector } from '../parts/record-scope.js';
import { TemplateDialog } from '../templates/template-dialog.js';
import type { RateView } from './state.js';

/** Says that nothing tells how to rate, and offers to make the first template. */
export const NoTemplates = ({ projectId }: { readonly projectId: string }) => {
  const { navigation } = useSurroundings();
  const [isMaking, setIsMaking] = useState(false);
  const permit = useProjectPermit(projectId, 'editor');
  return (
    <EmptyNotice title="No template yet">
      <p>A template says what is judged: liked or not, stars, a score, tags, a choice or a text.</p>
      <span class="inline">
        <Button look="primary" permit={permit} onClick={() => setIsMaking(true)}>
          New template
        </Button>
        <a href={navigation.href(`/p/${projectId}/templates`)}>Templates of this project</a>
      </span>
      {permit.reason !== null && <p class="note">{permit.reason}</p>}
      {isMaking && (
        <TemplateDialog projectId={projectId} permit={permit} onClose={() => setIsMaking(false)} />
      )}
    </EmptyNotice>
  );
};

/** Why no trace is left to judge here, and the way to some. */
export const EmptyQueue = (props: {
  readonly projectId: string;
  readonly view: RateView;
  readonly left: number | undefined;
  readonly all: number | undefined;
  readonly skipped: number;
  readonly onChange: (change: Partial<RateView>) => void;
  readonly onShowSkipped: () => void;
  readonly onAskAgain: () => void;
  /** Null: nothing to take back. */
  readonly onUndo: (() => void) | null;
}) => {
  const { navigation } = useSurroundings();
  const { view, left, all, skipped, onUndo } = props;
  const isOfRange = all === 0 && view.f === '' && view.t !== 'all';
  const records = { project_id: props.projectId, ...runSelector(view.run) };
  const bounds = useBounds('trace', records, { isEnabled: isOfRange });
  if (all === undefined || left === undefined) return null;
  if (all === 0 && view.t === 'all' && view.f === '' && view.run === '') {
    return (
      <EmptyNotice title="No trace is recorded yet">
        <a href={navigation.href(`/p/${props.projectId}/start`)}>Send the first one</a>
      </EmptyNotice>
    );
  }
  const total = all.toLocaleString('en');
  const title =
    all === 0
      ? 'No trace is in this queue'
      : left === 0
        ? `You have rated ${all === 1 ? 'the one trace' : `all ${total} traces`}`
        : `${left.toLocaleString('en')} left, which you skipped or rated in part`;
  return (
    <EmptyNotice title={title}>
      {all === 0 && view.f !== '' && <p>The filter or the range leaves none.</p>}
      {isOfRange && bounds.value != null && (
        <NewestRecord at={bounds.value.toMs} onRange={(t) => props.onChange({ t })} />
      )}
      <span class="inline">
        {view.t !== 'all' && (
          <Button onClick={() => props.onChange({ t: 'all' })}>Rate all times</Button>
        )}
        {all === 0 && view.f !== '' && (
          <Button onClick={() => props.onChange({ f: '' })}>Leave the filter out</Button>
        )}
        {skipped > 0 && (
          <Button onClick={props.onShowSkipped}>
            {skipped === 1 ? 'Show the skipped one' : `Show the ${skipped} skipped`}
          </Button>
        )}
        <Button title="." onClick={props.onAskAgain}>
          Ask again
        </Button>
        {onUndo !== null && (
          <Button title="u" onClick={onUndo}>
            Undo
          </Button>
        )}
      </span>
    </EmptyNotice>
  );
};
