// Spans of OpenTelemetry in files of OTLP JSON. They go to the endpoint of exporters, so that the server makes the same events of them.
import type { JsonObject, JsonValue } from '../../json/json.js';
import { parseJson } from '../../json/parse.js';
import { stringifyJson } from '../../json/stringify.js';
import { isJsonObject, memberOf, membersOf } from '../../json/tree.js';
import { StatusError } from '../connection.js';
import { textOf } from './foreign/conversions.js';
import type { MappedEvent, Mapping } from './mapping.js';
import { RowError, type Row } from './row.js';
import { RefusedEvent, storedRows, type Receiver, type Target } from './send-events.js';

/** The id is that of the trace, a dash and that of the span. */
interface MappedSpan extends MappedEvent {
  /** The text of the request before the spans of the same resource and scope. */
  readonly head: string;
}

const tail = ']}]}';

/** Names the object of a span, which for an import is in the command. */
const parentAttribute = 'braintrust.parent';

/** @throws RowError for anything but a list of objects, or none */
function listOf(object: JsonObject, name: string, at: string): readonly JsonObject[] {
  const list = memberOf(object, name) ?? [];
  const objects = Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
  if (!Array.isArray(list) || objects.length < list.length)
    throw new RowError(at, `"${name}": expected a list of objects`);
  return objects;
}

const without = (object: JsonObject, name: string): Map<string, JsonValue> =>
  new Map([...membersOf(object)].filter(([member]) => member !== name));

/** JSON text of an object without its end, for members that follow. */
const opened = (object: JsonObject, name: string): string => {
  const members = without(object, name);
  return `${stringifyJson(members).slice(0, -1)}${members.size === 0 ? '' : ','}"${name}":[`;
};

function spanText(span: JsonObject, at: string): string {
  const attributes = listOf(span, 'attributes', at).filter(
    (attribute) => memberOf(attribute, 'key') !== parentAttribute,
  );
  return stringifyJson(new Map([...membersOf(span), ['attributes', attributes]]));
}

const idOf = (span: JsonObject): string =>
  ['traceId', 'spanId'].map((name) => textOf(memberOf(span, name) ?? '').toLowerCase()).join('-');

function* spansOf({ text, line }: Row): Generator<MappedSpan> {
  const at = `line ${line}`;
  let request: JsonValue;
  try {
    request = parseJson(text, 'the request');
  } catch (error) {
    throw new RowError(at, (error as Error).message);
  }
  if (!isJsonObject(request) || memberOf(request, 'resourceSpans') === undefined)
    throw new RowError(at, 'this is no request of OTLP with "resourceSpans"');
  for (const resource of listOf(request, 'resourceSpans', at)) {
    if (memberOf(resource, 'scopeSpans') === undefined)
      throw new RowError(at, 'a member of "resourceSpans" has no "scopeSpans"');
    for (const scope of listOf(resource, 'scopeSpans', at)) {
      const head = `${opened(resource, 'scopeSpans')}${opened(scope, 'spans')}`;
      for (const span of listOf(scope, 'spans', at))
        yield { id: idOf(span), text: spanText(span, at), line, head };
    }
  }
}

export const spanMapping: Mapping = {
  eventsOf: (row) => [...spansOf(row)],
  inMetadata: new Set(),
  found: new Set(),
};

/** Spans that follow each other and have the same resource and scope. */
function groupsOf(spans: readonly MappedSpan[]): readonly MappedSpan[][] {
  const groups: MappedSpan[][] = [];
  for (const span of spans) {
    const last = groups.at(-1);
    if (last?.[0]?.head === span.head) last.push(span);
    else groups.push([span]);
  }
  return groups;
}

interface Answer {
  readonly partialSuccess?: { readonly errorMessage: string };
}

const placeOfSpan = /^resourceSpans\[(\d+)\]\.scopeSpans\[0\]\.spans\[(\d+)\]:? ?/;

/** The message of a refusal, for the span that it names. */
function refused(message: string, groups: readonly MappedSpan[][]): Error {
  const [path = '', group, index] = placeOfSpan.exec(message) ?? [];
  const span = groups[Number(group)]?.[Number(index)];
  return span === undefined
    ? new Error(message)
    : new RefusedEvent(span, message.slice(path.length));
}

function messageOf({ text }: StatusError): string {
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return text;
  }
}

async function post({ client, kind, id }: Target, body: string): Promise<Answer> {
  const parent = `${kind === 'experiment' ? 'experiment_id' : 'project_id'}:${id}`;
  const headers = { 'x-bt-parent': parent };
  const path = '/otel/v1/traces';
  return (await (
    await client.sendBytes('POST', path, body, 'application/json', headers)
  ).json()) as Answer;
}

/** Sends spans as an exporter does. A valid span of a refused request is stored. */
export const exports: Receiver = {
  stored: async (target, events) => {
    const places = events.map(({ id }) => id.replaceAll(/[^\w-]/g, '').split('-'));
    const ids = (place: number) => places.map((names) => `'${names[place]}'`).join();
    const rows = await storedRows<{ span_id: string; root_span_id: string }>(
      target,
      'span_id, root_span_id',
      ` | filter: span_id in [${ids(1)}] and root_span_id in [${ids(0)}]`,
      events.length,
    );
    return new Set(rows.map((row) => `${row.root_span_id}-${row.span_id}`));
  },
  send: async (target, events) => {
    const groups = groupsOf(events as readonly MappedSpan[]);
    const parts = groups.map(
      (spans) => `${spans[0]!.head}${spans.map(({ text }) => text).join()}${tail}`,
    );
    let answer: Answer;
    try {
      answer = await post(target, `{"resourceSpans":[${parts.join()}]}`);
    } catch (error) {
      if (!(error instanceof StatusError) || error.status !== 400) throw error;
      throw refused(messageOf(error), groups);
    }
    if (answer.partialSuccess !== undefined)
      throw refused(answer.partialSuccess.errorMessage, groups);
  },
};
