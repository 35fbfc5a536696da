// Reads the spans of an OpenTelemetry export as events.
import { badRequest, RequestError } from '../../errors.js';
import { readEvents } from '../../event/decode.js';
import { textBytesOf, type IncomingEvent } from '../../event/incoming.js';
import { parentOf, parentTextOf, type Parent } from '../../otlp/parent.js';
import { readSpans, spanTooLarge, type ReadSpan } from '../../otlp/read-spans.js';
import { eventOf } from '../../otlp/row.js';
import { limits } from '../../schema/limits.js';
import type { Encoding } from '../../schema/otlp.js';

export interface ExportFormat {
  readonly encoding: Encoding;
  /** The parent of spans that do not name one; null if the request has none. */
  readonly parent: string | null;
}

export interface ExportLimits {
  /** The largest text of a span in the body. */
  readonly textBytesMax: number;
  /** The largest event that the store takes. */
  readonly eventBytesMax: number;
  /** The largest size of the resources and scopes of all spans together, in MB. */
  readonly originMegabytesMax: number;
}

/**
 * A parent of the spans that follow it, a span as an event with the index of its parent among the parents, or why a span is
 * refused.
 */
export type ExportItem = { readonly path: string } & (
  | { readonly parent: Parent }
  | { readonly parentIndex: number; readonly event: IncomingEvent }
  | { readonly refusal: Pick<RequestError, 'status' | 'message'> }
  | { readonly warning: string }
);

const megabyte = 2 ** 20;

/** An upper bound on the size of the ids that the store adds to an event. */
const idsBytesMax = 1024;

const parentsMax = limits.objects.max;

const refusalOf = (path: string, { status, message }: RequestError): ExportItem => ({
  path,
  refusal: { status, message },
});

/** @throws RequestError 400 for a span that is too large for the store, which would otherwise refuse all of them */
function spanEvent({ span, origin }: ReadSpan, parent: Parent, bytesMax: number): IncomingEvent {
  const row = eventOf(span, origin, parent.span);
  const [event] = readEvents(parent.kind, [row], { plain: false, path: 'row' });
  const size = textBytesOf(event!) + idsBytesMax;
  if (size > bytesMax) throw spanTooLarge(size, bytesMax);
  return Object.assign(event!, { traceId: span.traceId });
}

interface KnownParent {
  readonly parent: Parent;
  readonly index: number;
}

/** The parents of the spans so far, by the text that names them and its source in the request. */
type KnownParents = Map<string, KnownParent>;

/** The item of the span, after that of its parent if no span before it has the same. */
function itemsOf(
  read: ReadSpan,
  known: KnownParents,
  { parent: header }: ExportFormat,
  { eventBytesMax }: ExportLimits,
): readonly ExportItem[] {
  const { path } = read;
  const items: ExportItem[] = [];
  try {
    const { text, source } = parentTextOf(read.span, header);
    const key = `${source} ${text}`;
    let found = known.get(key);
    if (found === undefined) {
      found = { parent: parentOf(text, source), index: known.size };
      known.set(key, found);
      items.push({ path, parent: found.parent });
    }
    const event = spanEvent(read, found.parent, eventBytesMax);
    items.push({ path, parentIndex: found.index, event });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    items.push(refusalOf(path, error));
  }
  return items;
}

/**
 * Yields the items of one span in each step.
 * @throws RequestError 400 for an invalid body or too many parents, 413 for too large resources and scopes
 */
export function* exportInSteps(
  body: Buffer,
  format: ExportFormat,
  exportLimits: ExportLimits,
): Generator<readonly ExportItem[], void> {
  const { textBytesMax, originMegabytesMax } = exportLimits;
  const known: KnownParents = new Map();
  let originBytes = 0;
  for (const step of readSpans(body, format.encoding, textBytesMax)) {
    if ('warning' in step) yield [step];
    else if ('refusal' in step) yield [refusalOf(step.path, step.refusal)];
    else {
      originBytes += step.originBytes;
      if (originBytes > originMegabytesMax * megabyte) throw tooMuchRepeated(originMegabytesMax);
      yield itemsOf(step, known, format, exportLimits);
      if (known.size > parentsMax) throw tooManyParents();
    }
  }
}

export const eventsOfItem = (item: ExportItem): readonly IncomingEvent[] =>
  'event' in item ? [item.event] : [];

/** The error for resources and scopes that are too large together: each span is stored with its own copy. */
const tooMuchRepeated = (megabytesMax: number) =>
  new RequestError(
    413,
    `the resources and scopes of all spans together are larger than the limit of ${megabytesMax} MB`,
  );

const tooManyParents = () =>
  badRequest(`request body: expected spans of at most ${parentsMax} parents, got more`);
