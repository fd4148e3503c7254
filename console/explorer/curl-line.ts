import type { RecordQuestion } from './questions.js';

/** A line for a shell that asks the service the same; the key comes from the environment. */
export const curlLine = (url: string, kind: string, question: RecordQuestion): string => {
  const { project_id: projectId, ...body } = question;
  return [
    `curl -sS '${url}/v2/projects/${projectId}/${kind}/search'`,
    `-H "Service-API-Key: $ASSAY_API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
};

/** A text as one word of a POSIX shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
