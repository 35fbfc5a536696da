// A model that speaks OpenAI's interface and gives the same answers always, so that nothing leaves the machine.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Json } from '../../support/client.js';

export const modelAnswer = 'Paris';

/** Of each call, as the interface of chat completions has it. */
const usage = {
  prompt_tokens: 7,
  completion_tokens: 5,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};

const responseUsage = {
  input_tokens: 7,
  output_tokens: 5,
  total_tokens: 12,
  input_tokens_details: { cached_tokens: 2 },
  output_tokens_details: { reasoning_tokens: 1 },
};

const lookup = (tool: string) => ({ name: tool, arguments: '{"city":"Paris"}' });

/** The name of the tool that the model calls: the first, as long as the conversation has no result of one. */
function toolToCall(
  body: Json,
  isResult: (item: Json) => boolean,
  items: unknown,
): string | undefined {
  const [tool] = (body['tools'] ?? []) as readonly Json[];
  if (tool === undefined || (Array.isArray(items) && (items as readonly Json[]).some(isResult)))
    return undefined;
  return ((tool['function'] as Json | undefined) ?? tool)['name'] as string;
}

function chatAnswer(body: Json): Json {
  const tool = toolToCall(body, ({ role }) => role === 'tool', body['messages']);
  const call = tool && [{ id: 'call_1', type: 'function', function: lookup(tool) }];
  const message = {
    role: 'assistant',
    content: call ? null : modelAnswer,
    ...(call && { tool_calls: call }),
  };
  return { message, finish_reason: call ? 'tool_calls' : 'stop' };
}

function chatCompletion(body: Json): Json {
  const common = { id: 'chatcmpl-1', created: 1795333730, model: body['model'] };
  const choice = { index: 0, logprobs: null, ...chatAnswer(body) };
  return { ...common, object: 'chat.completion', choices: [choice], usage };
}

/** The chunks of the same answer. */
function chatChunks(body: Json): readonly Json[] {
  const common = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1795333730,
    model: body['model'],
  };
  const { message, finish_reason } = chatAnswer(body);
  const calls = (message as Json)['tool_calls'] as readonly Json[] | undefined;
  const deltas = calls
    ? [{ role: 'assistant', tool_calls: [{ index: 0, ...calls[0] }] }]
    : [{ role: 'assistant', content: modelAnswer.slice(0, 2) }, { content: modelAnswer.slice(2) }];
  const chunk = (delta: Json, finish: unknown) => ({
    ...common,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const wantsUsage = (body['stream_options'] as Json | undefined)?.['include_usage'] === true;
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish_reason),
    ...(wantsUsage ? [{ ...common, choices: [], usage }] : []),
  ];
}

function response(body: Json): Json {
  const tool = toolToCall(body, ({ type }) => type === 'function_call_output', body['input']);
  const output = tool
    ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', status: 'completed', ...lookup(tool) }
    : {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: modelAnswer, annotations: [] }],
      };
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1795333730,
    status: 'completed',
    model: body['model'],
    output: [output],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    usage: responseUsage,
  };
}

function embeddings(body: Json): Json {
  const inputs = [body['input']].flat();
  const embedding =
    body['encoding_format'] === 'base64'
      ? Buffer.from(new Float32Array([0.5, -0.25]).buffer).toString('base64')
      : [0.5, -0.25];
  return {
    object: 'list',
    model: body['model'],
    data: inputs.map((_, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 7, total_tokens: 7 },
  };
}

const answers: Readonly<Record<string, (body: Json) => Json>> = {
  '/v1/chat/completions': chatCompletion,
  '/v1/responses': response,
  '/v1/embeddings': embeddings,
};

async function answer(request: IncomingMessage, to: ServerResponse): Promise<void> {
  const make = answers[request.url ?? ''];
  const body = (await json(request)) as Json;
  if (make === undefined || body['model'] === 'missing') {
    to.writeHead(404, { 'content-type': 'application/json' });
    to.end(JSON.stringify({ error: { message: 'no such model', type: 'invalid_request_error' } }));
  } else if (body['stream'] === true && make === chatCompletion) {
    to.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chatChunks(body)) to.write(`data: ${JSON.stringify(chunk)}\n\n`);
    to.end('data: [DONE]\n\n');
  } else {
    to.writeHead(200, { 'content-type': 'application/json' });
    to.end(JSON.stringify(make(body)));
  }
}

/** One model for the tests of a `describe`; the variables by which OpenAI's clients find it. */
export function sharedModel(): () => Readonly<Record<string, string>> {
  const server = createServer((request, to) => {
    answer(request, to).catch((error: unknown) => to.destroy(error as Error));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => ({
    OPENAI_API_KEY: 'no-key',
    OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  });
}
