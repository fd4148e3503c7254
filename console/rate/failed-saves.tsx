import { useSurroundings } from '../client/context.js';
import { Button } from '../parts/button.js';
import { RecordedWord } from '../parts/recorded-text.js';
import type { FailedSave } from './session.js';
import type { RatingTemplate } from '../templates/model.js';

/** Saves of which something was not done, each with the reason and the way back to its trace. */
export const FailedSaves = (props: {
  readonly projectId: string;
  readonly templates: readonly RatingTemplate[];
  readonly failed: readonly FailedSave[];
  readonly onOpen: (failure: FailedSave) => void;
  readonly onDismiss: (failure: FailedSave) => void;
}) => {
  const { navigation } = useSurroundings();
  const nameOf = (templateId: string): string =>
    props.templates.find(({ id }) => id === templateId)?.name ?? templateId.slice(0, 8);
  return (
    <>
      {props.failed.map((failure) => (
        <div key={failure.step.traceId} class="notice bad-notice" role="alert">
          <div>
            <strong>
              {failure.reason === null ? 'Not all was saved of ' : 'Not saved: '}
              <a href={navigation.href(`/p/${props.projectId}/traces/${failure.step.traceId}`)}>
                <RecordedWord text={failure.step.name === '' ? 'the trace' : failure.step.name} />
              </a>
            </strong>
            {failure.reason !== null && <p class="note">{failure.reason}</p>}
            {failure.refused.map(({ templateId, message }) => (
              <p key={templateId} class="note">
                <RecordedWord text={`${nameOf(templateId)}: ${message}`} />
              </p>
            ))}
          </div>
          <span class="inline">
            <Button onClick={() => props.onOpen(failure)}>Back to it</Button>
            <Button look="plain" onClick={() => props.onDismiss(failure)}>
              Dismiss
            </Button>
          </span>
        </div>
      ))}
    </>
  );
};
