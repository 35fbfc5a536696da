// The parent of a span: its attribute `braintrust.parent` or the header `x-bt-parent`.
import { badRequest } from '../errors.js';
import { isJsonObject, memberOf } from '../json/tree.js';
import { parentAttribute, parentHeader } from '../schema/otlp.js';
import { describeJson } from './describe.js';
import { readSlug, type Slug } from './slug.js';
import type { OtlpSpan } from './span.js';

/** The parent span of the root spans of a request. */
export interface ParentSpan {
  readonly spanId: string;
  readonly rootSpanId: string;
}

/** Logs are named by the id or name of their project, experiments by id. */
export interface Parent {
  readonly kind: 'project_logs' | 'experiment';
  readonly by: 'id' | 'name';
  readonly value: string;
  readonly span: ParentSpan | null;
  /** The attribute or header, for errors. */
  readonly source: string;
}

type Named = Pick<Parent, 'kind' | 'by' | 'value'>;

const forms: readonly (readonly [prefix: string, kind: Parent['kind'], by: Parent['by']])[] = [
  ['project_id:', 'project_logs', 'id'],
  ['project_name:', 'project_logs', 'name'],
  ['experiment_id:', 'experiment', 'id'],
];

function namedBy(text: string): Named | null {
  for (const [prefix, kind, by] of forms)
    if (text.startsWith(prefix) && text.length > prefix.length)
      return { kind, by, value: text.slice(prefix.length) };
  return null;
}

const kindsOfSlugs: Readonly<Record<number, Parent['kind']>> = {
  1: 'experiment',
  2: 'project_logs',
};

function namedByArguments({ objectArguments }: Slug): Named | null {
  if (!isJsonObject(objectArguments)) return null;
  const id = memberOf(objectArguments, 'project_id');
  if (typeof id === 'string' && id !== '') return { kind: 'project_logs', by: 'id', value: id };
  const name = memberOf(objectArguments, 'project_name');
  if (typeof name === 'string' && name !== '')
    return { kind: 'project_logs', by: 'name', value: name };
  return null;
}

function namedBySlug(slug: Slug): Named | null {
  const kind = kindsOfSlugs[slug.objectType];
  if (kind === undefined) return null;
  if (slug.objectId !== null) return { kind, by: 'id', value: slug.objectId };
  return kind === 'project_logs' ? namedByArguments(slug) : null;
}

const spanOfSlug = ({ spanId, rootSpanId }: Slug): ParentSpan | null =>
  spanId === null || rootSpanId === null ? null : { spanId, rootSpanId };

const unusable = (source: string, text: string) =>
  badRequest(
    `${source}: expected project_id:<id>, project_name:<name>, experiment_id:<id> or an exported span, got ${describeJson(text)}`,
  );

/** @throws RequestError 400 for an invalid text */
export function parentOf(text: string, source: string): Parent {
  const named = namedBy(text);
  if (named !== null) return { ...named, span: null, source };
  const slug = readSlug(text);
  const bySlug = slug && namedBySlug(slug);
  if (slug === null || bySlug === null) throw unusable(source, text);
  return { ...bySlug, span: spanOfSlug(slug), source };
}

/** The text that names the parent of a span, and its source. The attribute takes precedence over the header. */
export function parentTextOf(
  { attributes }: OtlpSpan,
  header: string | null,
): { readonly text: string; readonly source: string } {
  const attribute = attributes.get(parentAttribute) ?? null;
  if (typeof attribute === 'string')
    return { text: attribute, source: `the attribute ${parentAttribute}` };
  if (attribute !== null)
    throw badRequest(
      `the attribute ${parentAttribute}: expected a string, got ${describeJson(attribute)}`,
    );
  if (header === null)
    throw badRequest(
      `the span has no parent: expected the attribute ${parentAttribute} or the header ${parentHeader}`,
    );
  return { text: header, source: `the header ${parentHeader}` };
}
