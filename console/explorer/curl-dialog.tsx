import { useSurroundings } from '../client/context.js';
import { CopyText } from '../parts/copy-text.js';
import { Dialog } from '../parts/dialog.js';
import { curlLine } from './curl-line.js';
import type { RecordQuestion } from './questions.js';

/** The question as a line for a shell. */
export const CurlDialog = (props: {
  readonly kind: string;
  readonly question: RecordQuestion;
  readonly onClose: () => void;
}) => {
  const { clipboard, service } = useSurroundings();
  const line = curlLine(service.url, props.kind, props.question);
  return (
    <Dialog title="The same by curl" onClose={props.onClose}>
      <CopyText label="curl line" text={line} onCopy={clipboard.copy} />
    </Dialog>
  );
};
