// OpenTelemetry's own exporters, and the span processor of the Braintrust SDK, against a server.
import { expect } from 'chai';
import { listObjects } from '../support/objects.js';
import { sharedServer, type Json } from '../support/start-server.js';
import { runProgram } from './run-program.js';

const idOf = (context: unknown) => (context as Json)['spanId'] as string;

describe('exporters of OpenTelemetry', () => {
  const server = sharedServer();

  /** The rows of a project by their ids. */
  const rowsOf = async (project: string): Promise<ReadonlyMap<string, Json>> => {
    const [found] = await listObjects(server(), `/v1/project?project_name=${project}`);
    const events = await server().events(`project_logs/${found!.id}`);
    return new Map(events.map((row) => [row['id'] as string, row]));
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

  describe('of the Braintrust SDK', () => {
    let result: Json;
    let rows: ReadonlyMap<string, Json>;
    const rowOf = (name: string) => rows.get(result[name] as string);

    before(async () => {
      ({ result } = await runProgram(server(), 'otlp-mixed'));
      rows = await rowsOf('mixed');
    });

    it('store spans, and leave out those that they filter', () => {
      const [chat, plain] = result['exported'] as readonly [string, string];
      expect(rows.get(chat)).to.deep.include({ input: { text: 'why' }, is_root: true });
      expect(rows.get(plain)).to.deep.include({ is_root: true });
      const [kept, left] = result['filtered'] as readonly [string, string];
      expect(rows.get(kept)).to.deep.include({ span_parents: ['0123456789abcdef'] });
      expect(rows.has(left)).to.equal(false);
    });

    it('put spans of both kinds under one another, in one trace', () => {
      const bySpan = new Map([...rows.values()].map((row) => [row['span_id'], row]));
      const { outer, middle, inner } = result['mixed'] as Readonly<Record<string, string>>;
      const { root_span_id } = bySpan.get(outer)!;
      expect(bySpan.get(outer)).to.deep.include({ is_root: true });
      expect(bySpan.get(middle)).to.deep.include({ root_span_id, span_parents: [outer] });
      expect(bySpan.get(inner)).to.deep.include({ root_span_id, span_parents: [middle] });
    });

    it('go on with an exported span', () => {
      const request = [...rows.values()].find((row) => row['span_id'] === result['request']);
      expect(rowOf('under')).to.deep.include({
        span_parents: [result['request']],
        root_span_id: request!['root_span_id'],
      });
    });

    it('put the spans of an experiment there', async () => {
      const events = await server().events(`experiment/${String(result['experimentId'])}`);
      const ids = events.map(({ id }) => id);
      expect(ids).to.have.members(result['evaluated'] as readonly string[]);
      for (const id of ids) expect(rows.has(id as string)).to.equal(false);
    });
  });
});
