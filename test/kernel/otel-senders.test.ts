import { expect } from 'chai';
import type { JsonObject } from '../../kernel/schema-types.js';
import { recordOf } from '../support/otel-records.js';

const question = [{ role: 'user', content: 'Rome?' }];

describe('spans of Splunk AO, Galileo and later conventions', () => {
  /** Span of the Python package `splunk-ao` 0.6. */
  it('reads Splunk AO', () => {
    const common = {
      'splunk_ao.system': 'splunk_ao_python',
      'splunk_ao.metadata': '{"tier":"gold"}',
      'splunk_ao.tags': ['a', 'b'],
      'splunk_ao.status_code': 429,
      'splunk_ao.step_number': 3,
      'splunk_ao.dataset.input': 'asked',
      'splunk_ao.dataset.output': 'expected',
      'splunk_ao.dataset.metadata': '{"row":7}',
    };
    const llm = recordOf({
      ...common,
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Rome?"}]}]',
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]',
      'splunk_ao.redacted_input': '[{"role":"user","content":"***"}]',
      'splunk_ao.redacted_output': '{"role":"assistant","content":"---"}',
      'splunk_ao.llm.events': '[{"type":"reasoning","summary":[]},{"type":"other"}]',
      'splunk_ao.llm.cost.total_usd': 0.5,
      'splunk_ao.llm.cost.input_usd': 0.2,
      'splunk_ao.llm.cost.output_usd': 0.3,
      'splunk_ao.llm.usage.total_tokens': 12,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'gen_ai.usage.cache_creation.input_tokens': 1,
      'gen_ai.usage.reasoning.output_tokens': 2,
      'gen_ai.usage.image.input_tokens': 4,
      'gen_ai.response.time_to_first_chunk': 0.25,
    });
    expect(llm).to.deep.include({
      type: 'llm',
      input: question,
      output: { role: 'assistant', content: 'Yes.' },
      redacted_input: [{ role: 'user', content: '***' }],
      redacted_output: { role: 'assistant', content: '---' },
      events: [{ type: 'reasoning', summary: [] }],
      tags: ['a', 'b'],
      status_code: 429,
      step_number: 3,
      dataset_input: 'asked',
      dataset_output: 'expected',
      dataset_metadata: { row: '7' },
      user_metadata: { tier: 'gold', 'splunk_ao.system': 'splunk_ao_python' },
    });
    expect(llm.metrics).to.include({
      cost: 0.5,
      input_cost: 0.2,
      output_cost: 0.3,
      num_total_tokens: 12,
      num_cached_input_tokens: 5,
      num_cache_creation_input_tokens: 1,
      num_reasoning_tokens: 2,
      num_image_input_tokens: 4,
      time_to_first_token_ns: 250_000_000,
    });
    const retriever = recordOf({
      ...common,
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'Rome?',
      'gen_ai.retrieval.documents': '[{"content":"Rome is old.","metadata":{"page":12}}]',
    });
    expect(retriever).to.deep.include({
      type: 'retriever',
      input: 'Rome?',
      output: [{ content: 'Rome is old.', metadata: { page: 12 } }],
    });
    const tool = recordOf({
      ...common,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.call.arguments': '{"to":"Rome"}',
      'gen_ai.tool.call.result': '{"value":"booked"}',
    });
    expect(tool).to.include({ type: 'tool', input: '{"to":"Rome"}', output: 'booked' });
    expect(
      recordOf({ 'gen_ai.operation.name': 'invoke_agent', 'splunk_ao.agent.type': 'planner' }),
    ).to.include({ type: 'agent', agent_type: 'planner' });
    expect(recordOf({ 'gen_ai.operation.name': 'invoke_workflow' })).to.include({
      type: 'workflow',
    });
  });

  it('reads controls of Splunk AO', () => {
    const control = recordOf({
      'galileo.span.kind': 'control',
      'gen_ai.operation.name': 'control',
      'agent_control.control_id': 7,
      'agent_control.control_name': 'no refunds',
      'agent_control.agent_name': 'booking',
      'agent_control.check_stage': 'post',
      'agent_control.applies_to': 'llm_call',
      'agent_control.evaluator_name': 'regex',
      'agent_control.selector_path': 'output',
      'agent_control.action': 'deny',
      'agent_control.matched': true,
      'agent_control.confidence': 0.75,
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Rome?"}]}]',
    });
    expect(control).to.deep.include({
      type: 'control',
      name: 'no refunds',
      input: question,
      output: { action: 'deny', matched: true, confidence: 0.75 },
      control_id: 7,
      agent_name: 'booking',
      check_stage: 'post',
      applies_to: 'llm_call',
      evaluator_name: 'regex',
      selector_path: 'output',
    });
    expect(control).to.not.have.property('user_metadata');
  });

  it('resolves aliases of Splunk AO', () => {
    const record = recordOf({
      'splunk_ao.operation.name': 'chat',
      'splunk_ao.input.messages': '[{"role":"user","content":"Rome?"}]',
      'splunk_ao.request.model': 'model-a',
      'splunk_ao.request.top_p': 0.5,
      'gen_ai.request.top_p': 0.25,
      'splunk_ao.llm.usage.input_tokens': 9,
      'splunk_ao.llm.time_to_first_token_ns': 250,
    });
    expect(record).to.deep.include({
      type: 'llm',
      input: question,
      model: 'model-a',
      user_metadata: { 'gen_ai.request.top_p': '0.25' },
    });
    expect(record.metrics).to.include({ num_input_tokens: 9, time_to_first_token_ns: 250 });
  });

  /** Span of the Python package `galileo` 2.6. */
  it('reads Galileo', () => {
    const documents = [{ content: 'Rome is old.', metadata: {} }];
    const said = JSON.stringify([{ role: 'assistant', content: { documents } }]);
    const common = { 'gen_ai.system': 'galileo-otel', 'galileo.dataset.output': 'expected' };
    const retriever = recordOf({
      ...common,
      'db.operation': 'search',
      'gen_ai.input.messages': '[{"role":"user","content":"Rome?"}]',
      'gen_ai.output.messages': said,
      'galileo.project.name': 'trips',
      'galileo.logstream.name': 'nightly',
      'galileo.session.id': 's1',
    });
    expect(retriever).to.deep.include({
      type: 'retriever',
      input: 'Rome?',
      output: [{ content: 'Rome is old.' }],
      dataset_output: 'expected',
      user_metadata: { 'gen_ai.system': 'galileo-otel', 'db.operation': 'search' },
    });
    const workflow = recordOf({ ...common, 'gen_ai.output.messages': said });
    expect(workflow).to.deep.include({ type: 'workflow', output: [{ content: 'Rome is old.' }] });
  });

  it('reads bodies of events, results of evaluations and empty texts', () => {
    const event = (name: string, members: JsonObject) => ({
      name,
      timeUnixNano: '1',
      attributes: Object.entries(members).map(([key, value]) => ({
        key,
        value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value },
      })),
    });
    const record = recordOf(
      { 'gen_ai.operation.name': 'chat', note: '' },
      {
        events: [
          event('gen_ai.user.message', {
            'gen_ai.event.content': '{"role":"user","content":"Rome?"}',
          }),
          event('gen_ai.choice', {
            'gen_ai.event.content': '{"message":{"content":"Yes."},"finish_reason":"stop"}',
          }),
          event('gen_ai.evaluation.result', {
            'gen_ai.evaluation.name': 'relevance',
            'gen_ai.evaluation.score.value': 0.5,
            'gen_ai.evaluation.explanation': 'half of it',
          }),
          event('gen_ai.evaluation.result', {
            'gen_ai.evaluation.name': 'tone',
            'gen_ai.evaluation.score.label': 'polite',
          }),
          event('gen_ai.evaluation.result', { 'gen_ai.evaluation.name': 'nothing' }),
        ],
      },
    );
    expect(record).to.deep.include({
      input: question,
      output: { role: 'assistant', content: 'Yes.' },
      finish_reason: 'stop',
      user_metadata: { note: '', 'gen_ai.evaluation.relevance.explanation': 'half of it' },
    });
    const { duration_ns: _, ...scores } = record.metrics ?? {};
    expect(scores).to.deep.equal({ relevance: 0.5, tone: 'polite' });
    expect(recordOf({ 'output.value': '' }).output).to.equal('');
    expect(recordOf({ 'openinference.span.kind': 'TOOL' })).to.not.have.property('output');
  });
});
