import { useEffect, useState } from 'preact/hooks';
import type { Project } from '../../clients/typescript/src/generated/projects-types.js';
import { useSurroundings } from '../client/context.js';
import { useProject } from '../client/project.js';
import { useAction, useQuery } from '../client/queries.js';
import { secretOf } from '../client/write-faults.js';
import { Button } from '../parts/button.js';
import { CopyText } from '../parts/copy-text.js';
import { Checkbox } from '../parts/field.js';
import { PageHeading } from '../parts/heading.js';
import { FaultNotice } from '../parts/notice.js';
import { printDuration } from '../parts/numbers.js';
import type { PageProps } from '../parts/page.js';
import { permitUnless, projectPermit } from '../parts/permits.js';
import { Tabs } from '../parts/tabs.js';
import { snippetOf, type SnippetKey } from './snippets.js';

const kinds = [
  { key: 'otel', text: 'OpenTelemetry' },
  { key: 'python', text: 'Python' },
  { key: 'typescript', text: 'TypeScript' },
  { key: 'langchain', text: 'LangChain' },
  { key: 'curl', text: 'curl' },
  { key: 'assistant', text: 'For a coding assistant' },
] as const;

/** From a project without traces to its first one: a key, a snippet, and waiting. */
export const Page = ({ params }: PageProps) => {
  const projectId = params['project_id'] ?? '';
  const { clipboard, service } = useSurroundings();
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [kind, setKind] = useState<SnippetKey>('otel');
  const target = { url: service.url, apiKey: apiKey ?? 'asy_…', projectId };
  const { shell, program } = snippetOf(kind, target);
  const first = useFirstTrace(projectId);
  const project = useProject(projectId);
  if (first.state === 'unknown') {
    if (project.fault === null) return null;
    return (
      <>
        <PageHeading title="Send a first trace" />
        <FaultNotice fault={project.fault} onRetry={project.refetch} />
      </>
    );
  }
  return (
    <>
      <PageHeading title="Send a first trace" />
      <ol class="first-run">
        <li>
          <h2>A key for this project</h2>
          <NewKey project={project.value} apiKey={apiKey} onKey={setApiKey} />
        </li>
        <li>
          <h2>Send</h2>
          <Tabs label="Ways to send" tabs={kinds} selected={kind} onSelect={setKind} />
          <CopyText
            key={`${kind} shell`}
            label={kind === 'assistant' ? 'text' : 'shell lines'}
            text={shell}
            onCopy={clipboard.copy}
          />
          {program !== null && (
            <CopyText
              key={`${kind} program`}
              label="program"
              text={program}
              onCopy={clipboard.copy}
            />
          )}
          <SendOne project={project.value} />
        </li>
        <li>
          <h2>The first trace</h2>
          <Arrival {...first} projectId={projectId} />
        </li>
      </ol>
    </>
  );
};

const NewKey = (props: {
  readonly project: Project | undefined;
  readonly apiKey: string | null;
  readonly onKey: (apiKey: string) => void;
}) => {
  const { project } = props;
  const { clipboard } = useSurroundings();
  const [isKept, setIsKept] = useState(false);
  const { isAllowed, reason } = projectPermit(project, 'editor');
  // Owners bind keys to a project; the key of an editor is for all projects of theirs.
  const binds = projectPermit(project, 'owner').isAllowed;
  const make = useAction(
    { ...permitUnless('api-key', reason), isAllowed },
    async (operations, _input, options) => {
      const made = await operations.apiKeys.create(
        {
          description: 'First run of a project',
          project_role: 'editor',
          ...(binds && project !== undefined && { project_id: project.id }),
        },
        options,
      );
      props.onKey(secretOf(made.api_key, 'Revoke that key under Keys and make another.'));
    },
    ['api-keys'],
  );
  if (props.apiKey === null) {
    return (
      <>
        <p class="inline">
          <Button
            look="primary"
            permit={make.permit}
            isDisabled={make.isRunning}
            onClick={() => void make.run()}
          >
            Make a key
          </Button>
          <span class="note">
            {reason ??
              (binds
                ? 'An editor of this project alone; it never expires.'
                : 'An editor in all your projects; it never expires. Owners bind keys to one.')}
          </span>
        </p>
        <FaultNotice fault={make.fault} />
      </>
    );
  }
  return (
    <>
      {!isKept && <CopyText label="key" text={props.apiKey} onCopy={clipboard.copy} />}
      <Checkbox
        label="I have kept it: it is shown on this page only, and not again"
        isChecked={isKept}
        onChange={setIsKept}
      />
    </>
  );
};

const SendOne = ({ project }: { readonly project: Project | undefined }) => {
  const send = useAction(
    projectPermit(project, 'editor'),
    (operations, _input, options) =>
      operations.traces.log(
        {
          project_id: project?.id ?? '',
          traces: [
            {
              name: 'hello',
              input: 'Is anybody there?',
              output: 'Yes: this came from the page.',
              spans: [
                {
                  type: 'llm',
                  name: 'answer',
                  model: 'model-a',
                  input: 'Is anybody there?',
                  output: 'Yes: this came from the page.',
                  metrics: { num_input_tokens: 5, num_output_tokens: 7 },
                },
              ],
            },
          ],
        },
        options,
      ),
    ['traces'],
  );
  return (
    <>
      <p>
        <Button permit={send.permit} isDisabled={send.isRunning} onClick={() => void send.run()}>
          Send one from here
        </Button>
      </p>
      <FaultNotice fault={send.fault} />
    </>
  );
};

type FirstTrace = {
  readonly id: string;
  readonly name: string;
  readonly delayMs: number;
};

type Waiting = {
  /** `unknown` until it is known whether the project has traces. */
  readonly state: 'unknown' | 'waiting' | 'quiet' | 'late' | 'here';
  readonly trace: FirstTrace | null;
};

const everyMs = 2_000;
const quietMs = 60_000;
const waitedMs = 15 * 60_000;

/** Waits for the first trace; a project that has traces already shows them instead. */
const useFirstTrace = (projectId: string): Waiting => {
  const { clock, navigation, service } = useSurroundings();
  const [begin] = useState(clock.now);
  const [isWaiting, setIsWaiting] = useState(false);
  const [trace, setTrace] = useState<FirstTrace | null>(null);
  const isLate = clock.now() - begin > waitedMs;
  const found = useQuery({
    key: ['traces', 'first', projectId, begin],
    ask: async (operations, signal): Promise<FirstTrace | null> => {
      const asked = { project_id: projectId, limit: 1, truncate_fields: true };
      const { records } = await operations.traces.search(asked, { signal });
      const [record] = records;
      if (record === undefined) return null;
      const delayMs = Math.max(0, service.now() - Date.parse(record.created_at));
      return { id: record.id, name: record.name, delayMs };
    },
    everyMs: trace === null && !isLate && everyMs,
  });
  useEffect(() => {
    if (found.value === null) setIsWaiting(true);
    if (found.value == null || trace !== null) return;
    if (isWaiting) setTrace(found.value);
    else navigation.go(`/p/${projectId}/traces`, '', 'replace');
  }, [found.value]);
  if (trace !== null) return { state: 'here', trace };
  if (!isWaiting) return { state: 'unknown', trace };
  if (isLate) return { state: 'late', trace };
  return { state: clock.now() - begin > quietMs ? 'quiet' : 'waiting', trace };
};

const Arrival = ({ state, trace, projectId }: Waiting & { readonly projectId: string }) => {
  const { navigation } = useSurroundings();
  return (
    <>
      <p role="status" class="inline">
        {trace === null ? (
          state === 'late' ? (
            'Nothing came in 15 minutes. Reload the page to wait again.'
          ) : (
            'Waiting for it: asked every 2 s.'
          )
        ) : (
          <>
            <strong class="good">
              “{trace.name}” came {printDuration(trace.delayMs * 1e6)} after it began.
            </strong>
            <a href={navigation.href(`/p/${projectId}/traces/${trace.id}`)}>Open it</a>
            <a href={navigation.href(`/p/${projectId}/traces`)}>All traces</a>
          </>
        )}
      </p>
      {(state === 'quiet' || state === 'late') && (
        <ul class="note">
          <li>Does the sender get a 401? The key is wrong, or of another service.</li>
          <li>Are the spans ended, and is shutdown() or flush() called before the program ends?</li>
          <li>OTEL_LOG_LEVEL=debug lets an exporter say what it gets.</li>
        </ul>
      )}
    </>
  );
};
