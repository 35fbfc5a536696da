import { expect } from 'chai';
import { variablesOf } from '../../src/console/screens/prompts/variables.js';

describe('variables of a prompt', () => {
  it('are the names in its templates, each once, and no ends of sections, comments or partials', () => {
    const messages = [
      { role: 'system', content: 'You answer {{ user.name }}. {{! not shown }}{{> shared }}' },
      {
        role: 'user',
        content: '{{#items}}{{{raw}}}, {{&plain}}{{/items}}{{^items}}{{input}}{{/items}}',
      },
      { role: 'user', content: 'Once more {{input}}, {single} and {{}}' },
    ];
    const text = JSON.stringify({ prompt: { type: 'chat', messages } });
    expect(variablesOf(text)).to.deep.equal(['user.name', 'items', 'raw', 'plain', 'input']);
  });

  it('may be none', () => {
    expect(variablesOf('{"prompt":{"type":"completion","content":"Hello"}}')).to.deep.equal([]);
  });
});
