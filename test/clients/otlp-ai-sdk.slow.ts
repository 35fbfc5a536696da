// The telemetry of the AI SDK against a server.
import { expect } from 'chai';
import { listObjects } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { runProgram } from './run-program.js';

describe('the AI SDK', () => {
  const server = sharedServer();
  let project = '';
  let rows: readonly Json[] = [];

  before(async () => {
    const { result } = await runProgram(server(), 'otlp-ai-sdk');
    expect(result).to.deep.equal({ text: 'It rains.', streamed: 'Hello' });
    [{ id: project } = { id: '' }] = await listObjects(
      server(),
      '/v1/project?project_name=exported',
    );
    rows = await server().events(`project_logs/${project}`);
  });

  const named = (name: string): readonly Json[] =>
    rows
      .filter((row) => (row['span_attributes'] as Json)['name'] === name)
      .sort((one, other) => (one['created'] as string).localeCompare(other['created'] as string));

  it('has its calls of models as llm, its tools as tool, and the rest as task', () => {
    const types = rows.map((row) => row['span_attributes'] as Json);
    const found = types.map(({ name, type }) => `${String(name)} ${String(type)}`);
    expect(found.sort()).to.deep.equal([
      'ai.embed task',
      'ai.embed.doEmbed llm',
      'ai.generateText task',
      'ai.generateText.doGenerate llm',
      'ai.generateText.doGenerate llm',
      'ai.streamText task',
      'ai.streamText.doStream llm',
      'ai.toolCall tool',
    ]);
  });

  it('has inputs and outputs', () => {
    const [first, second] = named('ai.generateText.doGenerate');
    expect(first!['input']).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'How is the weather?' }] },
    ]);
    expect(first!['output']).to.deep.equal([
      { toolCallId: 'call', toolName: 'weather', input: '{"city":"Ulm"}' },
    ]);
    expect(second!['output']).to.equal('It rains.');
    const [outer] = named('ai.generateText');
    expect([outer!['input'], outer!['output']]).to.deep.equal([
      { prompt: 'How is the weather?' },
      'It rains.',
    ]);
    const [tool] = named('ai.toolCall');
    expect([tool!['input'], tool!['output']]).to.deep.equal([
      { city: 'Ulm' },
      { city: 'Ulm', rain: true },
    ]);
    expect(named('ai.embed')[0]).to.include({ input: 'Ulm' });
    expect(named('ai.embed.doEmbed')[0]).to.deep.include({ input: ['Ulm'] });
  });

  it('has its traces', () => {
    const [outer] = named('ai.generateText');
    for (const inner of [...named('ai.generateText.doGenerate'), ...named('ai.toolCall')])
      expect([inner['span_parents'], inner['root_span_id']]).to.deep.equal([
        [outer!['id']],
        outer!['root_span_id'],
      ]);
  });

  it('counts each token once', async () => {
    const query = `measures: sum(metrics.prompt_tokens) as prompt, sum(metrics.completion_tokens) as completion, sum(metrics.tokens) as tokens | from: project_logs('${project}')`;
    const data = await server().query(query);
    expect(data).to.deep.equal([{ prompt: 35, completion: 12, tokens: 47 }]);
    const [outer] = named('ai.generateText');
    expect(outer!['metadata']).to.deep.include({ 'ai.usage.inputTokens': 20, user: 'u1' });
    const [stream] = named('ai.streamText.doStream');
    expect(stream!['metrics']).to.include.keys('time_to_first_token');
  });
});
