// The table of the mapping: what each rule makes of its example and leaves alone, and how the rules work together.
import { expect } from 'chai';
import { mapping } from '../../src/otlp/mapping.js';
import { limits } from '../../src/schema/limits.js';
import { examples } from './mapping-examples.js';
import { attributes, rowOf, rowWith, type Json } from './spans.js';

/** What is at a path of one or two steps. */
function at(row: Json, path: string): unknown {
  const [field = '', member] = path.split('.');
  const value = row[field];
  return member === undefined ? value : (value as Json | undefined)?.[member];
}

const times = { start: 1778629701.62313, end: 1778629702.12313 };

const noType = { 'span_attributes.type': 'task' };

/** The text of an array that counts as this many values, of few bytes each. */
const textOf = (values: number) => `[${'{},'.repeat(values - 2)}0]`;

describe('mapping of attributes', () => {
  const names = mapping.flatMap((rule) => ('from' in rule ? `${rule.from} -> ${rule.to}` : []));

  it('has an example of every rule', () => {
    expect(Object.keys(examples)).to.have.members(names);
  });

  for (const [name, example] of Object.entries(examples)) {
    it(name, () => {
      const row = rowWith(example.attributes);
      for (const [path, value] of Object.entries(example.row))
        expect(at(row, path), path).to.deep.equal(value);
      const metadata = (row['metadata'] ?? {}) as Json;
      if (!('metadata' in example.row)) expect(metadata).to.deep.include(example.metadata ?? {});
      const stays = new Set([...Object.keys(example.metadata ?? {}), 'model', 'tools']);
      const left = Object.keys(metadata).filter((key) => Object.hasOwn(example.attributes, key));
      expect(left.filter((key) => !stays.has(key))).to.deep.equal([]);
      for (const useless of example.useless ?? []) {
        const other = rowWith(useless);
        expect(other['metadata'], 'stays').to.deep.include(useless);
        for (const path of Object.keys(example.row)) {
          const value =
            path.startsWith('metrics.') || path === 'span_attributes.type'
              ? at(other, path)
              : undefined;
          expect(value, path).to.equal((noType as Json)[path]);
        }
      }
    });
  }

  it('keeps both names of a count of tokens, and names of other counts', () => {
    const counts = '{"prompt_tokens":10,"input_tokens":12,"output_tokens":1,"toString":2}';
    expect(rowWith({ 'gen_ai.usage': counts })['metrics']).to.include({
      prompt_tokens: 10,
      input_tokens: 12,
      completion_tokens: 1,
      toString: 2,
    });
  });

  describe('of JSON text', () => {
    const [input, output] = ['gen_ai.input.messages', 'gen_ai.output.messages'];
    it('reads null', () => {
      for (const [name, field] of [
        ['braintrust.expected', 'expected'],
        ['ai.toolCall.result', 'output'],
      ] as const)
        expect(rowWith({ [name]: 'null' })[field] ?? null, name).to.equal(null);
    });

    it('reads as many values as a span may have', () => {
      const row = rowWith({ [input]: textOf(limits.spanValues.max) });
      expect(row['input']).to.have.length(limits.spanValues.max - 1);
      expect(row['metadata'] ?? {}).not.to.have.property(input);
    });

    it('keeps a text with more values, or with too long a number', () => {
      const long = `[${'1'.repeat(limits.digits.max + 1)}]`;
      for (const text of [textOf(limits.spanValues.max + 1), long]) {
        const row = rowWith({ [input]: text });
        expect(row['input'] ?? null).to.equal(null);
        expect((row['metadata'] as Json)[input] === text).to.equal(true);
      }
    });

    it('counts the values of all texts of a span, and each text once', () => {
      const half = textOf(limits.spanValues.max / 2);
      const other = textOf(limits.spanValues.max / 2 - 1);
      const more = textOf(limits.spanValues.max / 2 + 1);
      const inputs = { [input]: half, 'gen_ai.prompt_json': half };
      expect(rowWith({ ...inputs, [output]: other })['output']).to.be.an('array');
      const row = rowWith({ ...inputs, [output]: more });
      expect(row['input']).to.be.an('array');
      expect((row['metadata'] as Json)[output] === more).to.equal(true);
      expect(rowWith({ [output]: more })['output']).to.be.an('array');
    });
  });

  it('takes the first of several, and leaves the others in the metadata', () => {
    const values = {
      'traceloop.entity.input': '"last"',
      'gen_ai.prompt': 'second',
      'braintrust.input_json': '"first"',
      'input.value': 'third',
    };
    const row = rowWith(values);
    expect(row['input']).to.equal('first');
    expect(row['metadata']).to.deep.equal({
      'traceloop.entity.input': '"last"',
      'gen_ai.prompt': 'second',
      'input.value': 'third',
    });
  });

  it('takes the next one when the first is of no use', () => {
    const row = rowWith({ 'braintrust.input_json': '{', 'braintrust.input': 'text' });
    expect(row['input']).to.equal('text');
    expect(row['metadata']).to.deep.equal({ 'braintrust.input_json': '{' });
  });

  it('merges metadata of all sources, each member from the first that has it', () => {
    const values = {
      'braintrust.metadata': '{"model":"m","a":{"x":1}}',
      'braintrust.metadata.a.y': 2,
      'braintrust.metadata.b': 3,
      'gen_ai.request.model': 'other',
      'gen_ai.request.top_k': 4,
      client: 'c',
    };
    expect(rowWith(values)['metadata']).to.deep.equal({
      model: 'm',
      a: { x: 1, y: 2 },
      b: 3,
      top_k: 4,
      'gen_ai.request.model': 'other',
      client: 'c',
    });
  });

  it('never takes the name of another attribute', () => {
    const values = {
      model: 'own',
      'gen_ai.request.model': 'm',
      'braintrust.metadata': '{"model":1}',
    };
    expect(rowWith(values)['metadata']).to.deep.equal(values);
  });

  it('keeps mapped attributes as well when the span asks for it', () => {
    const values = {
      'braintrust.otel.preserve_attributes': true,
      'braintrust.input_json': '1',
      'gen_ai.usage.input_tokens': 2,
    };
    const row = rowWith(values);
    expect([row['input'], row['metadata']]).to.deep.equal([1, values]);
  });

  it('keeps out only the members that a field cannot hold', () => {
    const values = { 'braintrust.scores': '{"a":"0.5x","b":0.25}' };
    const row = rowWith(values);
    expect([row['scores'], row['metadata']]).to.deep.equal([{ b: 0.25 }, values]);
  });

  it('leaves the tokens of steps in the metadata', () => {
    const counts = { 'gen_ai.usage.input_tokens': 113, 'gen_ai.usage.output_tokens': 11 };
    const steps = [
      ...['invoke_agent', 'create_agent', 'execute_tool', 'invoke_workflow'].map((operation) => ({
        'gen_ai.operation.name': operation,
      })),
      { 'openinference.span.kind': 'CHAIN' },
      { 'traceloop.span.kind': 'workflow' },
      { 'ai.operationId': 'ai.generateText' },
    ];
    for (const step of steps) {
      const row = rowWith({ ...counts, ...step });
      expect([row['metrics'], row['metadata']]).to.deep.equal([times, { ...counts, ...step }]);
    }
    const calls = [
      ...['chat', 'text_completion', 'generate_content', 'embeddings', 'responses'].map(
        (operation) => ({ 'gen_ai.operation.name': operation }),
      ),
      { 'openinference.span.kind': 'LLM' },
      { 'ai.operationId': 'ai.generateText.doGenerate' },
    ];
    for (const call of calls)
      expect(rowWith({ ...counts, ...call })['metrics']).to.include({ tokens: 124 });
  });

  it('adds up tokens where the span does not', () => {
    const sum = rowWith({ 'gen_ai.usage.input_tokens': 2, 'gen_ai.usage.output_tokens': 3 });
    expect(sum['metrics']).to.deep.equal({
      ...times,
      prompt_tokens: 2,
      completion_tokens: 3,
      tokens: 5,
    });
    expect(rowWith({})['metrics']).to.deep.equal(times);
  });

  it('leaves the sums of the outer spans of the AI SDK in the metadata', () => {
    const values = {
      'ai.operationId': 'ai.generateText',
      'ai.usage.inputTokens': 20,
      'ai.usage.outputTokens': 8,
      'ai.usage.totalTokens': 28,
    };
    const row = rowWith(values);
    expect(row['metrics']).to.deep.equal(times);
    expect(row['metadata']).to.deep.equal(values);
    expect(row['span_attributes']).to.deep.equal({ name: 'work', type: 'task' });
  });

  it('knows a call of a tool by the AI SDK', () => {
    const row = rowWith({ 'ai.operationId': 'ai.toolCall' });
    expect(row['span_attributes']).to.deep.equal({ name: 'work', type: 'tool' });
  });

  it('says task of a span that says nothing', () => {
    expect(rowWith({ private: 1 })['span_attributes']).to.deep.equal({
      name: 'work',
      type: 'task',
    });
    expect(rowWith({ 'openinference.span.kind': 'AGENT' })['span_attributes']).to.deep.include({
      type: 'task',
    });
  });
});

const event = (name: string, values: Json) => ({
  name,
  timeUnixNano: '1778629701700000000',
  attributes: attributes(values),
});

describe('mapping of events', () => {
  it('makes input and output of the messages of GenAI', () => {
    const row = rowOf({
      attributes: attributes({
        'gen_ai.input.messages': '["later"]',
        'gen_ai.completion': 'later',
      }),
      events: [
        event('gen_ai.system.message', { content: 'Be brief.' }),
        event('gen_ai.user.message', {
          role: 'developer',
          content: '[{"type":"text","text":"hi"}]',
        }),
        event('gen_ai.tool.message', { content: '42', id: 'call' }),
        event('gen_ai.assistant.message', { tool_calls: '[{"id":"call"}]' }),
        event('gen_ai.choice', {
          index: 0,
          finish_reason: 'stop',
          message: '{"role":"assistant","content":"yes"}',
        }),
        event('gen_ai.choice', { message: 'as text' }),
        event('other', { a: 1 }),
      ],
    });
    expect(row['input']).to.deep.equal([
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'hi' }] },
      { role: 'tool', content: '42', id: 'call' },
      { role: 'assistant', tool_calls: [{ id: 'call' }] },
    ]);
    expect(row['output']).to.deep.equal([
      { role: 'assistant', content: 'yes', index: 0, finish_reason: 'stop' },
      { role: 'assistant', content: 'as text' },
    ]);
    expect(row['metadata']).to.deep.equal({
      'gen_ai.input.messages': '["later"]',
      'gen_ai.completion': 'later',
    });
    const { events } = (row['context'] as { otel: { events: readonly Json[] } }).otel;
    expect(events.map(({ name, attributes: kept }) => [name, kept])).to.deep.equal([
      ['gen_ai.system.message', undefined],
      ['gen_ai.user.message', undefined],
      ['gen_ai.tool.message', undefined],
      ['gen_ai.assistant.message', undefined],
      ['gen_ai.choice', undefined],
      ['gen_ai.choice', undefined],
      ['other', { a: 1 }],
    ]);
    expect(events[0]?.['time']).to.equal(1778629701.7);
  });

  it('keeps the attributes of an event that its message has already', () => {
    const row = rowOf({
      events: [
        event('gen_ai.choice', {
          message: '{"role":"assistant","content":"from message"}',
          content: 'from attribute',
          role: 'tool',
          index: 0,
        }),
        event('gen_ai.choice', { message: 'as text', content: 'more', role: 'tool' }),
      ],
    });
    expect(row['output']).to.deep.equal([
      { role: 'assistant', content: 'from message', index: 0 },
      { role: 'tool', content: 'as text' },
    ]);
    const { otel } = row['context'] as { otel: { events: readonly Json[] } };
    expect(otel.events.map(({ attributes: kept }) => kept)).to.deep.equal([
      { content: 'from attribute', role: 'tool' },
      { content: 'more' },
    ]);
  });

  it('keeps the messages that the attributes of the SDK go before', () => {
    const row = rowOf({
      attributes: attributes({ 'braintrust.input': 'asked' }),
      events: [event('gen_ai.user.message', { content: 'hi' })],
    });
    expect(row['input']).to.equal('asked');
    const { otel } = row['context'] as { otel: { events: readonly Json[] } };
    expect(otel.events[0]?.['attributes']).to.deep.equal({ content: 'hi' });
  });
});
