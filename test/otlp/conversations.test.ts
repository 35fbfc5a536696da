// Conversations in events and attributes: what is input, and what is output.
import { expect } from 'chai';
import { attributes, rowOf, rowWith, type Json } from './spans.js';

const event = (name: string, values: Json) => ({ name, attributes: attributes(values) });

const [system, user, assistant, tool] = ['system', 'user', 'assistant', 'tool'].map(
  (role) => (content: string) => event(`gen_ai.${role}.message`, { content }),
) as [
  (content: string) => object,
  (content: string) => object,
  (content: string) => object,
  (content: string) => object,
];
const choice = event('gen_ai.choice', { message: '{"role":"assistant","content":"7 degrees"}' });

const contents = (list: unknown): readonly unknown[] =>
  ((list ?? []) as readonly Json[]).map(({ content }) => content);

const divided = (events: readonly object[]) => {
  const row = rowOf({ events });
  return [contents(row['input']), contents(row['output'])];
};

const part = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
const messages = [part('user', 'Weather?'), part('assistant', '7 degrees')];

const sides = (values: Json) => {
  const row = rowWith(values);
  return [row['input'], row['output']];
};

describe('conversations', () => {
  describe('of events', () => {
    it('with a choice have earlier answers and results of tools in the input, in order', () => {
      expect(
        divided([system('a'), user('b'), assistant('c'), tool('d'), assistant('e'), choice]),
      ).to.deep.equal([['a', 'b', 'c', 'd', 'e'], ['7 degrees']]);
    });

    it('without one have the message of the assistant at the end in the output', () => {
      expect(divided([user('a'), assistant('b'), user('c'), assistant('d')])).to.deep.equal([
        ['a', 'b', 'c'],
        ['d'],
      ]);
      expect(divided([user('a'), assistant('b'), user('c')])).to.deep.equal([['a', 'b', 'c'], []]);
    });
  });

  describe('of the details of an inference', () => {
    const name = 'gen_ai.client.inference.operation.details';
    const input = JSON.stringify(messages.slice(0, 1));
    const output = JSON.stringify(messages.slice(1));
    const one = [
      event(name, {
        'gen_ai.input.messages': input,
        'gen_ai.output.messages': output,
        'gen_ai.usage.input_tokens': 3,
        own: 1,
      }),
    ];
    const two = [
      event(name, { 'gen_ai.input.messages': input }),
      event(name, { 'gen_ai.output.messages': output, own: 1 }),
    ];
    for (const [form, events] of Object.entries({ 'one event': one, 'two events': two }))
      it(`are read from ${form}`, () => {
        const row = rowOf({ events });
        expect([row['input'], row['output']]).to.deep.equal([
          messages.slice(0, 1),
          messages.slice(1),
        ]);
        const { otel } = row['context'] as { otel: { events: readonly Json[] } };
        expect(otel.events.at(-1)!['attributes']).to.deep.equal({ own: 1 });
        expect(row['metadata'] ?? null).to.equal(null);
      });

    it('come after the attributes of the span, and stay in the event then', () => {
      const row = rowOf({
        attributes: attributes({ 'gen_ai.input.messages': '[]' }),
        events: [event(name, { 'gen_ai.input.messages': input })],
      });
      expect(row['input']).to.deep.equal([]);
      const { otel } = row['context'] as { otel: { events: readonly Json[] } };
      expect(otel.events[0]!['attributes']).to.deep.equal({ 'gen_ai.input.messages': input });
    });

    it('may be values instead of JSON text', () => {
      const row = rowOf({ events: [event(name, { 'gen_ai.input.messages': messages })] });
      expect(row['input']).to.deep.equal(messages);
    });
  });

  it('of the events before version 1.28 are read', () => {
    const row = rowOf({
      events: [
        event('gen_ai.content.prompt', { 'gen_ai.prompt': '[{"role":"user","content":"hi"}]' }),
        event('gen_ai.content.completion', { 'gen_ai.completion': 'yes' }),
      ],
    });
    expect([row['input'], row['output']]).to.deep.equal([[{ role: 'user', content: 'hi' }], 'yes']);
  });

  describe('have the instructions of the system', () => {
    const instructions = '[{"type":"text","content":"Be brief."}]';
    const first = { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] };
    const inputOf = (values: Json) => {
      const row = rowWith({ 'gen_ai.system_instructions': instructions, ...values });
      return [row['input'], row['metadata'] ?? null];
    };

    it('as their first message, once', () => {
      const input = { 'gen_ai.input.messages': JSON.stringify(messages) };
      expect(inputOf(input)).to.deep.equal([[first, ...messages], null]);
      const repeated = { 'gen_ai.input.messages': JSON.stringify([first, ...messages]) };
      expect(inputOf(repeated)).to.deep.equal([[first, ...messages], null]);
    });

    it('as text', () => {
      expect(inputOf({ 'gen_ai.system_instructions': 'Be brief.' })).to.deep.equal([
        [{ role: 'system', content: 'Be brief.' }],
        null,
      ]);
    });

    it('in the metadata if the input is no list of messages', () => {
      expect(inputOf({ 'gen_ai.prompt': 'hi' })).to.deep.equal([
        'hi',
        { 'gen_ai.system_instructions': instructions },
      ]);
    });
  });

  describe('of an agent of Pydantic AI', () => {
    const all = { 'pydantic_ai.all_messages': JSON.stringify(messages) };
    it('have its result as their output, and another answer among the messages', () => {
      expect(sides({ ...all, final_result: '7 degrees' })).to.deep.equal([
        messages.slice(0, 1),
        '7 degrees',
      ]);
      expect(sides({ ...all, final_result: '{"degrees":7}' })).to.deep.equal([
        messages,
        { degrees: 7 },
      ]);
    });

    it('have the answer at the end as their output without a result', () => {
      expect(sides(all)).to.deep.equal([messages.slice(0, 1), messages.slice(1)]);
    });

    it('may be a list of events', () => {
      const events = JSON.stringify([
        { 'event.name': 'gen_ai.user.message', content: 'hi', 'gen_ai.message.index': 0 },
        { 'event.name': 'gen_ai.assistant.message', role: 'assistant', content: 'before' },
        {
          'event.name': 'gen_ai.choice',
          index: 0,
          message: { role: 'assistant', content: 'yes' },
        },
      ]);
      expect(sides({ events })).to.deep.equal([
        [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'before' },
        ],
        [{ role: 'assistant', content: 'yes', index: 0 }],
      ]);
    });
  });
});
