import { expect } from 'chai';
import type { Sandbox, SandboxTask, ScorerVerdict } from '../../kernel/sandbox.js';
import { runs } from '../support/runs.js';
import { sandboxOf, stepOf, stepsOf, taskOf } from '../support/sandboxes.js';
import { openTaskBatch } from '../support/task-batch.js';

/** Rules of contract 4.11, 6 to 8, and what the author of a file is told. */
describe('a scorer file', () => {
  let sandbox: Sandbox;
  before(() => {
    sandbox = sandboxOf('strict');
  });
  after(() => sandbox.close());
  const batch = openTaskBatch(() => sandbox);

  const run = (source: string, more: Partial<SandboxTask> = {}): Promise<ScorerVerdict> =>
    sandbox.run(taskOf(source, more));
  const scoresOf = (verdict: ScorerVerdict) => {
    if (verdict.verdict !== 'valid') throw new Error(JSON.stringify(verdict));
    return verdict.scores.map(({ score }) => score);
  };

  const perRow = batch.add(
    'def scorer_fn(*, step_object, index, node_type, **kwargs) -> str:\n' +
      '    return f"{index} {node_type} {step_object.type}"',
    { steps: stepsOf(2), nodeTypes: ['llm', 'chain'] },
  );
  it('is called once per row and node type, rows first', async () => {
    const verdict = await perRow();
    expect(scoresOf(verdict)).to.deep.equal([
      '0 llm llm',
      '0 chain chain',
      '1 llm llm',
      '1 chain chain',
    ]);
    expect(verdict).to.deep.include({
      score_type: 'str',
      scoreable_node_types: ['llm', 'chain'],
      chain_aggregation: null,
      aggregates: {},
    });
  });

  it('gets every argument of the contract', async () => {
    const step = stepOf(3, {
      id: 'a-row',
      node_type: 'llm',
      name: 'a name',
      input: 'in',
      output: { role: 'assistant', content: 'out' },
      tags: ['t'],
      user_metadata: { u: '1' },
      metrics: { m: 2 },
      dataset_input: 'di',
      dataset_output: 'do',
      dataset_metadata: { k: 'v' },
      dataset_variables: { question: 'in', target: 'do' },
      required_scores: { bleu: 0.5 },
      tools: [{ name: 'tool' }],
    });
    const source = `
import json
def scorer_fn(*, step_object, index, node_id, node_type, node_name, node_input, node_output,
              tools, dataset_variables, dataset_metadata, required_scores) -> str:
    s = step_object
    return json.dumps([
        index, node_id, node_type, node_name, node_input, node_output, tools, dataset_variables,
        dataset_metadata, required_scores, s.id, s.type, s.name, s.input, s.output.content, s.tags,
        s.user_metadata, s.metrics, s.dataset_input, s.dataset_output, s.dataset_metadata])`;
    const [score] = scoresOf(await run(source, { steps: [step] }));
    expect(JSON.parse(String(score))).to.deep.equal([
      3,
      'a-row',
      'llm',
      'a name',
      'in',
      {
        role: 'assistant',
        content: 'out',
      },
      [{ name: 'tool' }],
      {
        question: 'in',
        target: 'do',
      },
      { k: 'v' },
      { bleu: 0.5 },
      'a-row',
      'llm',
      'a name',
      'in',
      'out',
      ['t'],
      { u: '1' },
      { m: 2 },
      'di',
      'do',
      { k: 'v' },
    ]);
  });

  const declared = {
    bool: ['True', true],
    int: ['7', 7],
    float: ['1', 1],
    str: ['"x"', 'x'],
    'float | None': ['None', null],
    'Optional[int]': ['None', null],
    'tuple[bool, dict]': ['(False, {})', false],
    'tuple[float | None, dict[str, int]]': ['(None, {"a": 1})', null],
    'Tuple[int, Dict[str, Any]]': ['(3, {})', 3],
    '"float"': ['0.5', 0.5],
  } as const;
  const declaring = Object.entries(declared).map(([annotation, [value]]) =>
    batch.add(
      `from typing import *\n` +
        `def scorer_fn(*, node_output, **kwargs) -> ${annotation}:\n    return ${value}`,
    ),
  );
  it('may return each type, None and metadata', async () => {
    const found = await Promise.all(declaring.map((verdict) => verdict()));
    expect(found.map(scoresOf)).to.deep.equal(Object.values(declared).map(([, score]) => [score]));
  });

  const saying = batch.add(
    `
chain_aggregation = "average"
def score_type(): return int
def scoreable_node_types_fn(): return ["chain", "tool"]
def aggregator_fn(*, scores: list) -> dict:
    return {"Sum": sum(scores), "Mean": sum(scores) / len(scores)}
def scorer_fn(*, index, **kwargs): return index`,
    { steps: stepsOf(3) },
  );
  it('may say its type, node types, chain aggregation and aggregates by itself', async () => {
    const verdict = await saying();
    expect(verdict).to.deep.include({
      score_type: 'int',
      scoreable_node_types: ['chain', 'tool'],
      chain_aggregation: 'average',
      aggregates: { Sum: 6, Mean: 1 },
    });
  });

  it('has the same random numbers for the same row, and others for another', async () => {
    const source =
      'import random\ndef scorer_fn(*, index, **kwargs) -> float:\n    return random.random()';
    const first = scoresOf(await run(source, { steps: stepsOf(5) }));
    expect(new Set(first).size).to.equal(5);
    for (let time = 0; time < runs(1); time += 1) {
      expect(scoresOf(await run(source, { steps: stepsOf(5) }))).to.deep.equal(first);
    }
  });

  const entropies = {
    'os.urandom': 'os.urandom(8).hex()',
    'uuid.uuid4': 'str(uuid.uuid4())',
    secrets: 'secrets.token_hex(8)',
    'an unseeded generator': 'str(random.Random().random())',
    SystemRandom: 'str(random.SystemRandom().random())',
    '/dev/urandom': 'open("/dev/urandom", "rb").read(8).hex()',
    'tempfile.mkdtemp': 'tempfile.mkdtemp()',
  };
  it('has entropy that is the same for the same row, however it asks for it', async () => {
    const asked = Object.values(entropies).join(', ');
    const source = `import os, random, secrets, tempfile, uuid
def scorer_fn(*, index, **kwargs) -> str:
    return "|".join([${asked}])`;
    const parts = (verdict: ScorerVerdict) =>
      scoresOf(verdict).map((one) => String(one).split('|'));
    const first = parts(await run(source, { steps: stepsOf(3) }));
    Object.keys(entropies).forEach((name, at) => {
      expect(new Set(first.map((row) => row[at])).size, name).to.equal(3);
    });
    expect(parts(await run(source, { steps: stepsOf(3) }))).to.deep.equal(first);
    const [last] = parts(await run(source, { steps: [stepOf(2)] }));
    // Names of folders go on from row to row.
    expect(last?.filter((_, at) => at !== 6)).to.deep.equal(first[2]?.filter((_, at) => at !== 6));
  });

  it('gets an error with its row when it starts programs, and runs as uid 65534', async () => {
    const verdict = await run(
      'import os\n' +
        'def scorer_fn(*, index, **k) -> int:\n' +
        '    return os.system("ls") if index == 1 else os.getuid()',
      { steps: stepsOf(3), keepGoing: true },
    );
    if (verdict.verdict !== 'valid') throw new Error(JSON.stringify(verdict));
    expect(verdict.scores.map(({ score }) => score)).to.deep.equal([65_534, null, 65_534]);
    expect(verdict.scores[1]?.error).to.have.property('kind', 'exception');
    expect(verdict.scores[1]?.error?.message).to.match(/^PermissionError: /);
  });

  it('cannot see where its interpreter was made', async () => {
    const source =
      'import os, sys\n' +
      'def scorer_fn(**k) -> str:\n' +
      '    return repr([dict(os.environ), sys.executable, sys.orig_argv, sys.argv])';
    const [seen] = scoresOf(await run(source));
    expect(seen).not.to.match(/making-|sandbox|inside\.mjs/);
  });

  const changing = batch.add(
    'def scorer_fn(*, step_object, dataset_variables, **kwargs) -> int:\n' +
      '    dataset_variables["x"] = 1; step_object.tags.append("t"); ' +
      'return len(dataset_variables) + len(step_object.tags)',
    { nodeTypes: ['llm', 'tool'], steps: stepsOf(2) },
  );
  it('sees no trace of an earlier row that changed its arguments', async () => {
    expect(scoresOf(await changing())).to.deep.equal([2, 2, 2, 2]);
  });

  const wrong: Readonly<Record<string, readonly [source: string, kind: string, message: RegExp]>> =
    {
      'does not parse': ['x = 1\ndef x(:', 'syntax', /^SyntaxError: .*\(line 2\)$/],
      'fails while it is loaded': ['1 / 0', 'exception', /^ZeroDivisionError: /],
      'has no scorer_fn': ['def scorer(): pass', 'missing', /no scorer_fn/],
      'has no annotation': ['def scorer_fn(**k):\n    return 1', 'missing', /no return annotation/],
      'has an annotation of another type': [
        'def scorer_fn(**k) -> list:\n    return []',
        'signature',
        /bool, int, float or str/,
      ],
      'takes positional parameters': [
        'def scorer_fn(output) -> int:\n    return 1',
        'signature',
        /'output' is not one/,
      ],
      'asks for what there is not': [
        'def scorer_fn(*, prompt) -> int:\n    return 1',
        'signature',
        /'prompt'/,
      ],
      'wants credentials': [
        'include_llm_credentials = True\ndef scorer_fn(**k) -> int:\n    return 1',
        'credentials',
        /no credentials/,
      ],
      'names a chain aggregation that is none': [
        'chain_aggregation = "max"\ndef scorer_fn(**k) -> int:\n    return 1',
        'signature',
        /sum, average, first, last/,
      ],
      'returns another type': [
        'def scorer_fn(**k) -> int:\n    return "1"',
        'wrong_type',
        /^row 0: TypeError: scorer_fn returned str, but it declares int$/,
      ],
      'returns a boolean for a number': [
        'def scorer_fn(**k) -> float:\n    return True',
        'wrong_type',
        /returned bool/,
      ],
      'returns None without saying so': [
        'def scorer_fn(**k) -> float:\n    return None',
        'wrong_type',
        /NoneType/,
      ],
      'returns infinity': [
        'def scorer_fn(**k) -> float:\n    return float("inf")',
        'wrong_type',
        /not finite/,
      ],
      'returns no metadata': [
        'def scorer_fn(**k) -> tuple[float, dict]:\n    return 1.0',
        'wrong_type',
        /tuple of float and dict/,
      ],
      'has aggregates that are no numbers': [
        'def aggregator_fn(*, scores): return {"a": "b"}\ndef scorer_fn(**k) -> int:\n    return 1',
        'aggregates',
        /number/,
      ],
      'imports what is not there': ['import numpy', 'exception', /^ModuleNotFoundError/],
    };
  for (const [what, [source, kind, message]] of Object.entries(wrong)) {
    const judged = batch.add(source);
    it(`gets an error when it ${what}`, async () => {
      const verdict = await judged();
      expect(verdict).to.deep.include({ verdict: 'invalid', kind });
      expect(verdict).to.have.property('message').that.matches(message);
    });
  }

  it('gets only its own frames and the row of an exception', async () => {
    const source =
      'import json\ndef parse(text):\n    return json.loads(text)\n' +
      'def scorer_fn(*, index, **k) -> int:\n    return parse("{" if index == 3 else "1")';
    const verdict = await run(source, { steps: stepsOf(5) });
    expect(verdict).to.deep.include({ verdict: 'invalid', kind: 'exception', step: 3 });
    const { message } = verdict as { message: string };
    expect(message).to.match(/^row 3: json\.decoder\.JSONDecodeError: /);
    expect(message).to.include('File "scorer.py", line 5, in scorer_fn');
    expect(message).to.include('File "scorer.py", line 3, in parse');
    expect(message).not.to.match(/\/|harness|assay/);
  });

  const keepingGoing = batch.add(
    'def scorer_fn(*, index, **k) -> float:\n    return 1 / (index - 1) if index < 3 else "x"',
    { steps: stepsOf(4), keepGoing: true },
  );
  it('continues after failures on request', async () => {
    const verdict = await keepingGoing();
    if (verdict.verdict !== 'valid') throw new Error(JSON.stringify(verdict));
    expect(verdict.scores.map(({ score, error }) => error?.kind ?? score)).to.deep.equal([
      -1,
      'exception',
      1,
      'wrong_type',
    ]);
  });

  const otherType = batch.add('def scorer_fn(**k) -> int:\n    return 1', { scoreType: 'float' });
  it('must return the requested score type', async () => {
    expect(await otherType()).to.deep.include({ verdict: 'invalid', kind: 'signature' });
  });

  it('reports steps in order while it runs', async () => {
    const places: number[] = [];
    await sandbox.run(taskOf('def scorer_fn(**k) -> int:\n    return 1', { steps: stepsOf(50) }), {
      onStep: (step) => places.push(step),
    });
    expect(places).to.deep.equal(Array.from({ length: 50 }, (_, index) => index));
  });

  it('is not judged when the sandbox is off or closed', async () => {
    const closed = sandboxOf('strict');
    await closed.close();
    expect(await closed.run(taskOf('x'))).to.have.property('verdict', 'unavailable');
    const ended = new AbortController();
    ended.abort();
    expect(await sandbox.run(taskOf('x'), { signal: ended.signal })).to.have.property(
      'verdict',
      'unavailable',
    );
  });
});
