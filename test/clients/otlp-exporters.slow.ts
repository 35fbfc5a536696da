// OpenTelemetry's own exporters, and the span processor of the Braintrust SDK, against a server.
import { expect } from 'chai';
import { listObjects } from '../support/objects.js';
import { sharedServer } from '../support/start-server.js';
import { runProgram } from './run-program.js';

type Json = Readonly<Record<string, unknown>>;

const idOf = (context: unknown) => (context as Json)['spanId'] as string;

describe('exporters of OpenTelemetry', () => {
  const server = sharedServer();

  /** The rows of a project by their ids. */
  const rowsOf = async (project: string): Promise<ReadonlyMap<string, Json>> => {
    const [found] = await listObjects(server(), `/v1/project?project_name=${project}`);
    const { events } = (
      await server().request('GET', `/v1/project_logs/${found!.id}/fetch`)
    ).json();
    return new Map((events as readonly Json[]).map((row) => [row['id'] as string, row]));
  };

  for (const [name, program] of Object.entries({ JSON: 'otlp-json', protobuf: 'otlp-protobuf' }))
    it(`in ${name} store their spans, and see no error`, async () => {
      const { result, output } = await runProgram(server(), program);
      expect(output.trim()).to.equal('');
      expect(result['results']).to.deep.equal([{ code: 0 }]);
      const rows = await rowsOf('exported');
      const [root, child] = [rows.get(idOf(result['root'])), rows.get(idOf(result['child']))];
      expect(root).to.deep.include({
        is_root: true,
        root_span_id: (result['root'] as Json)['traceId'],
        span_attributes: { name: 'root', type: 'task' },
      });
      expect(root!['error']).to.match(/^out of range\n\nRangeError: out of range\n {4}at /);
      const { otel } = root!['context'] as { otel: Json };
      expect(otel).to.deep.include({
        resource: { 'service.name': 'exporting' },
        scope: { name: 'programs', version: '1.0' },
        kind: 'SERVER',
        status: { code: 'ERROR' },
      });
      expect(child).to.deep.include({
        span_parents: [idOf(result['root'])],
        root_span_id: (result['root'] as Json)['traceId'],
        input: [{ role: 'user', parts: [{ type: 'text', content: 'täglich \u{1F600}' }] }],
        output: [{ role: 'assistant', content: 'yes' }],
        metadata: {
          model: 'gpt-4o',
          temperature: 0.5,
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'openai/gpt-4o',
          large: Number.MAX_SAFE_INTEGER,
          flags: [true, false],
        },
        span_attributes: { name: 'chat', type: 'llm' },
        error: null,
      });
      expect(child!['metrics']).to.deep.include({
        prompt_tokens: 7,
        completion_tokens: 5,
        tokens: 12,
      });
    });

  it('are told why their spans are refused', async () => {
    const { result } = await runProgram(server(), 'otlp-refused');
    expect(result['results']).to.deep.equal([
      { code: 1, error: 'Bad Request' },
      { code: 1, error: 'Bad Request' },
    ]);
  });

  it('of the Braintrust SDK store their spans in the project that is configured', async () => {
    const { result } = await runProgram(server(), 'otlp-braintrust');
    const rows = await rowsOf('processed');
    expect(rows.get(idOf(result['root']))).to.deep.include({
      input: { question: 'why' },
      expected: 'because',
      scores: { exact: 1 },
      tags: ['one', 'two'],
      metadata: null,
    });
    const { span_origin: origin } = rows.get(idOf(result['root']))!['context'] as Json;
    expect((origin as Json)['name']).to.equal('braintrust.sdk.javascript');
    expect(rows.get(idOf(result['child']))).to.deep.include({
      span_parents: [idOf(result['root'])],
      span_attributes: { name: 'task', type: 'function' },
    });
  });
});
