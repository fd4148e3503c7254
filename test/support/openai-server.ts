import {
  scriptedServer,
  type Received,
  type Scripted,
  type ScriptedServer,
} from './scripted-server.js';

type Said = { readonly role: string; readonly content?: unknown };
type Tool = { readonly function: { readonly name: string } };
type Asked = {
  readonly model: string;
  readonly messages: readonly Said[];
  readonly tools?: readonly Tool[];
  readonly stream?: boolean;
};
type Answer = {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
};

export const modelAnswer = 'SK 4711 to Oslo leaves at nine.';
export const modelUsage = { prompt_tokens: 21, completion_tokens: 7, total_tokens: 28 };
/** Model for which the server answers like for a missing one. */
export const missingModel = 'model-none';

/**
 * A model server on loopback that answers like OpenAI's interface: chat completions, whole or as a
 * stream, and embeddings. Given tools, it first calls the first one for Oslo; given the tool's
 * answer, it replies. https://platform.openai.com/docs/api-reference/chat
 */
export const startOpenAiServer = (): Promise<ScriptedServer> => {
  let answered = 0;
  return scriptedServer((request) => {
    answered += 1;
    return answer(request, `chatcmpl-${answered}`);
  });
};

const answer = ({ path, body }: Received, id: string): Scripted => {
  const asked = JSON.parse(body) as Asked;
  if (path.endsWith('/embeddings')) return embeddings(body);
  if (!path.endsWith('/chat/completions')) return refused(404, 'no such address', null);
  if (asked.model === missingModel)
    return refused(404, `The model ${missingModel} does not exist`, 'model_not_found');
  const said = answerTo(asked);
  const finish = said.tool_calls === undefined ? 'stop' : 'tool_calls';
  const head = { id, created: 1_772_355_600, model: `${asked.model}-2026-03-01` };
  if (asked.stream !== true) {
    const choice = { index: 0, message: said, finish_reason: finish, logprobs: null };
    const whole = { ...head, object: 'chat.completion', choices: [choice], usage: modelUsage };
    return { status: 200, body: whole };
  }
  const choices = [...deltas(said), { delta: {}, finish_reason: finish }].map((choice) => [
    { index: 0, finish_reason: null, ...choice },
  ]);
  const parts = [...choices.map((one) => ({ choices: one })), { choices: [], usage: modelUsage }];
  const chunks = parts.map((part) => ({ ...head, object: 'chat.completion.chunk', ...part }));
  const lines = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: lines.map((line) => `data: ${line}\n\n`).join(''),
  };
};

const answerTo = ({ messages, tools = [] }: Asked): Answer => {
  const [tool] = tools;
  if (tool === undefined || messages.at(-1)?.role === 'tool')
    return { role: 'assistant', content: modelAnswer };
  const call = { name: tool.function.name, arguments: '{"city":"Oslo"}' };
  const calls = [{ id: 'call_1', type: 'function', function: call }];
  return { role: 'assistant', content: null, tool_calls: calls };
};

/** Words are streamed one by one, the arguments of a call in two halves. */
const deltas = (said: Answer): readonly { readonly delta: object }[] => {
  if (said.tool_calls === undefined)
    return (said.content ?? '')
      .split(/(?<= )/)
      .map((content) => ({ delta: { role: 'assistant', content } }));
  const [first] = said.tool_calls as readonly [{ readonly function: { readonly name: string } }];
  const { name } = first.function;
  const piece = (more: object): { readonly delta: object } => ({
    delta: { tool_calls: [{ index: 0, ...more }] },
  });
  return [
    { delta: { role: 'assistant', content: null } },
    piece({ id: 'call_1', type: 'function', function: { name, arguments: '{"city"' } }),
    piece({ function: { arguments: ':"Oslo"}' } }),
  ];
};

/** Embeddings count letters, so texts with the same words are near each other. */
const embeddings = (body: string): Scripted => {
  const {
    input,
    encoding_format: format,
    model,
  } = JSON.parse(body) as {
    readonly input: string | readonly string[];
    readonly encoding_format?: string;
    readonly model: string;
  };
  const data = [input].flat().map((text, index) => {
    const vector = new Float32Array(26);
    for (const letter of text.toLowerCase()) {
      const at = letter.charCodeAt(0) - 97;
      if (at >= 0 && at < 26) vector[at] = (vector[at] ?? 0) + 1;
    }
    const bytes = Buffer.from(vector.buffer).toString('base64');
    return { object: 'embedding', index, embedding: format === 'base64' ? bytes : [...vector] };
  });
  const usage = { prompt_tokens: 5, total_tokens: 5 };
  return { status: 200, body: { object: 'list', data, model, usage } };
};

const refused = (status: number, message: string, code: string | null): Scripted => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code } },
});
