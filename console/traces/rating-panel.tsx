import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RatingValue } from '../../clients/typescript/src/generated/annotations-types.js';
import { useSurroundings } from '../client/context.js';
import { useProject } from '../client/project.js';
import { useAction, useCaller, useQuery } from '../client/queries.js';
import { FaultNotice } from '../parts/notice.js';
import { projectPermit, type Permit } from '../parts/permits.js';
import { RatingInput, ratingText } from '../parts/rating-input.js';
import { RecordedWord } from '../parts/recorded-text.js';
import { useTemplates } from '../templates/questions.js';
import { templateRatings, type TemplateRatings } from './ratings.js';
import type { TraceRecord } from './record-facts.js';

/** Ratings of a trace: one's own in place, those of others by name. */
export const RatingPanel = (props: {
  readonly projectId: string;
  readonly trace: Pick<TraceRecord, 'id' | 'annotations'>;
  /** True: the focus goes here once the ratings are shown. */
  readonly wantsFocus?: { current: boolean };
}) => {
  const { projectId, trace } = props;
  const { navigation } = useSurroundings();
  const templates = useTemplates(projectId);
  const user = useCaller();
  const project = useProject(projectId).value;
  const rate = useRate(projectPermit(project, 'annotator'), projectId, trace.id);
  const section = useRef<HTMLElement>(null);
  // Before the next key comes: a digit rates.
  useLayoutEffect(() => {
    if (props.wantsFocus?.current !== true || section.current === null) return;
    props.wantsFocus.current = false;
    const control = section.current.querySelector<HTMLElement>(':is(button, input):enabled, a');
    (control ?? section.current).focus();
  });
  if (templates.value === undefined || project === undefined) return null;
  const rows = templateRatings(templates.value, trace.annotations, user.value?.id ?? null);
  return (
    <section class="stack ratings" aria-label="Ratings" tabIndex={-1} ref={section}>
      <h3>Ratings</h3>
      {rows.length === 0 && (
        <p class="muted">
          No template yet.{' '}
          <a href={navigation.href(`/p/${projectId}/templates`)}>Templates of this project</a>
        </p>
      )}
      {rate.permit.reason !== null && rows.length > 0 && <p class="note">{rate.permit.reason}</p>}
      {rows.map((row) => (
        <RatingRow
          key={row.template.id}
          row={row}
          permit={rate.permit}
          isRunning={rate.isRunning}
          onRate={(value) => void rate.run({ templateId: row.template.id, value })}
          projectId={projectId}
        />
      ))}
      <FaultNotice fault={rate.fault} />
    </section>
  );
};

type Rate = { readonly templateId: string; readonly value: RatingValue | null };

const useRate = (permit: Permit<'annotator'>, projectId: string, traceId: string) =>
  useAction(
    permit,
    (operations, { templateId, value }: Rate, options) => {
      const place = { project_id: projectId, trace_id: traceId, template_id: templateId };
      return value === null
        ? operations.annotations.withdrawRating(place, options)
        : operations.annotations.giveRating({ ...place, rating: value }, options);
    },
    ['traces', 'sessions', 'templates'],
  );

const RatingRow = (props: {
  readonly row: TemplateRatings;
  readonly permit: Permit;
  readonly isRunning: boolean;
  readonly onRate: (value: RatingValue | null) => void;
  readonly projectId: string;
}) => {
  const { template, own, others } = props.row;
  return (
    <div class="rating-row">
      <div>
        <RecordedWord text={template.name} />
        {template.criteria !== null && (
          <p class="note">
            <RecordedWord text={template.criteria} />
          </p>
        )}
      </div>
      <div class="stack">
        <RatingInput
          template={template}
          value={own}
          onRate={props.onRate}
          isDisabled={!props.permit.isAllowed || props.isRunning}
          title={props.permit.reason ?? undefined}
        />
        {others.length > 0 && <Others projectId={props.projectId} others={others} />}
      </div>
    </div>
  );
};

/** Collaborators that are asked for at once; the names of others stay ids. */
const namesMax = 1_000;

const Others = (props: {
  readonly projectId: string;
  readonly others: TemplateRatings['others'];
}) => {
  const names = useQuery({
    key: ['collaborators', 'names', props.projectId],
    ask: async (operations, signal) => {
      const place = { project_id: props.projectId, limit: namesMax };
      const page = await operations.collaborators.list(place, { signal });
      return new Map(
        page.collaborators.map((one) => [
          one.user_id,
          one.first_name === '' ? one.email : `${one.first_name} ${one.last_name}`.trim(),
        ]),
      );
    },
    freshMs: 60_000,
  });
  return (
    <ul class="rating-others note">
      {props.others.map(({ userId, value, explanation }) => (
        <li key={userId}>
          {names.value?.get(userId) ?? userId.slice(0, 8)}:{' '}
          <RecordedWord text={ratingText(value)} />
          {explanation !== null && (
            <>
              {' '}
              – <RecordedWord text={explanation} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
};
