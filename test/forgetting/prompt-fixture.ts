import { mark, type Planter } from './canary-planter.js';

type Made = { readonly id: string };

/** Every write that prompt templates know, each text of it a canary; all of them are deleted. */
export const fillAndDeletePrompts = async (
  { send: sendTo }: Planter,
  project_id: string,
): Promise<void> => {
  const send = (operation: string, sent: Parameters<typeof sendTo>[2]): Promise<Made> =>
    sendTo<Made>('organisation', operation, sent);
  const text = {
    template: [{ role: mark, content: mark }],
    settings: {
      reasoning_effort: mark,
      verbosity: mark,
      deployment_name: mark,
      model_alias: mark,
      stop_sequences: [mark],
      tools: [{ [mark]: mark }],
      tool_choice: mark,
      response_format: { [mark]: mark },
    },
    output_type: mark,
  };
  const plain = { template: mark };
  const params = { project_id };
  for (const [suffix, create] of [
    ['', 'createPromptTemplate'],
    ['OfProject', 'createProjectPromptTemplate'],
  ] as const)
    for (const created of [
      { ...text, name: { value: mark } },
      { ...plain, name: mark },
    ]) {
      const { id: prompt_template_id } = await send(create, { params, body: created });
      const made = { params: { ...params, prompt_template_id } };
      for (const body of [text, plain]) await send(`addPromptVersion${suffix}`, { ...made, body });
      const version = { ...made.params, version: '1' };
      await send(`selectPromptVersion${suffix}`, { params: version });
      for (const name of [mark, { value: mark }])
        await send('renamePromptTemplate', { ...made, body: { name } });
      const labelled = { ...made.params, label: 'production' };
      await send('labelPromptVersion', { params: labelled, body: { version: 1 } });
      await send('unlabelPromptVersion', { params: labelled });
      await send('deletePromptTemplate', made);
    }
};
