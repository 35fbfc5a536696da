// Conversations in the shapes that clients log, and values that only look like them.
import { expect } from 'chai';
import { messagesOf, textOfContent, type Part } from '../../src/console/screens/value/messages.js';

function partText(part: Part): string {
  if (part.kind === 'text') return part.text;
  return part.kind === 'file' ? `file ${part.attachment.name}` : `<${part.label}>`;
}

const parts = (value: unknown) =>
  messagesOf(JSON.stringify(value))?.map(({ role, parts: found }) =>
    [role].concat(found.map(partText)),
  );

describe('conversations', () => {
  it('are recognised in the shapes that clients log', () => {
    expect(parts([{ role: 'user', content: 'Hi' }])).to.deep.equal([['user', 'Hi']]);
    expect(
      parts({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Hi' },
              { type: 'image_url', image_url: {} },
            ],
          },
        ],
      }),
    ).to.deep.equal([['user', 'Hi', '<image_url>']]);
    expect(
      parts({
        choices: [{ message: { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] } }],
      }),
    ).to.deep.equal([['assistant', '<tool call>']]);
    expect(parts({ contents: [{ role: 'model', parts: [{ text: 'Hi' }] }] })).to.deep.equal([
      ['model', 'Hi'],
    ]);
    expect(parts([{ type: 'ai', content: 'Hi' }])).to.deep.equal([['ai', 'Hi']]);
    expect(parts([{ role: 'tool', tool_call_id: 'c', content: 'x' }])).to.deep.equal([
      ['tool', 'x', '<tool_call_id>'],
    ]);
    const call = { type: 'tool-call', toolName: 't' };
    for (const [content, texts, shown] of [
      ['', ['Hi'], ['Hi']],
      ['Hi', ['Hi'], ['Hi']],
      ['Hi you', ['Hi ', 'you'], ['Hi ', 'you']],
      ['Hi', [], ['Hi']],
      ['Hi', ['you'], ['Hi', 'you']],
    ] as const)
      expect(
        parts({
          role: 'assistant',
          content,
          parts: [...texts.map((text) => ({ type: 'text', text })), call],
        }),
      ).to.deep.equal([['assistant', ...shown, '<tool-call>']]);
  });

  it('have the text of their last message in a cell', () => {
    const image = { type: 'image_url', image_url: { url: 'https://x/cat.png' } };
    for (const [content, text] of [
      ['Hi', 'Hi'],
      [[{ type: 'text', text: 'Hi' }, image], 'Hi'],
      [[image, { type: 'text', text: 'Hi' }], 'Hi'],
      [
        [
          { type: 'thinking', thinking: '…' },
          { type: 'text', text: 'Hi' },
        ],
        'Hi',
      ],
      [[image], 'cat.png'],
      ['', null],
      [null, null],
      [[], null],
      [{ a: 1 }, null],
      // Cut by the server.
      ['[{"type":"text","text":"A \\"long\\" li', 'A "long" li'],
      ['[{"type":"text","text":"caf\\u00e9 \\u00', 'café '],
      ['[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBO', 'image_url'],
      ['[{"a":1', '[{"a":1'],
      // Only looks like JSON.
      ['[{"text":"C:\\q"}]', '[{"text":"C:\\q"}]'],
      ['[{"text":"C:\\Users"}]', '[{"text":"C:\\Users"}]'],
      ['[{"text":"two\nlines"}]', '[{"text":"two\nlines"}]'],
    ] as const)
      expect(textOfContent(JSON.stringify(content))).to.equal(text);
    expect(textOfContent(undefined)).to.equal(null);
  });

  it('are nothing that merely looks like one', () => {
    for (const value of [
      [],
      {},
      [1],
      [{ content: 'x' }],
      { messages: 'x' },
      { choices: [] },
      { role: 1 },
    ])
      expect(parts(value), JSON.stringify(value)).to.equal(undefined);
  });
});
