// The form of the rules in `mapping`.
import type { JsonValue } from '../json/json.js';
import type { Attributes } from './attributes.js';
import { systemMessage, type Reader, type ReaderContext } from './readers.js';

/** Fields with one value; the first rule with a value wins. */
export type ValueField = 'input' | 'output' | 'expected' | 'tags' | 'origin' | 'classifications';

/** Fields with members: the members of all rules are merged; the first rule with a member wins. */
export type ObjectField = 'metadata' | 'metrics' | 'scores' | 'span_attributes' | 'context';

/**
 * - a field: the value, or its members
 * - `metrics.tokens`: one member
 * - `metadata.*`: a member per attribute, named by the part of its name that matches `*` in `from`
 * - `conversation`: the messages of the value are the input; the answers at its end are the output
 */
export type Target =
  | ValueField
  | ObjectField
  | 'conversation'
  | `${'metadata' | 'metrics' | 'span_attributes'}.${string}`;

/** A condition on the attributes of a span. */
export interface Condition {
  readonly test: (attributes: Attributes) => boolean;
  /** Of which spans it holds, for the manual. */
  readonly about: string;
}

export interface AttributeRule {
  /** The attribute name. With `.*` at the end, all attributes below it: one value, unless `to` also has a `*`. */
  readonly from: string;
  readonly to: Target;
  readonly reader: Reader;
  /** Whether the value comes before the messages of the field, after all other rules. */
  readonly isFirst?: true;
  readonly when?: Condition;
  /** Whether the attribute also stays in the metadata, since the field holds only a part of it. */
  readonly keeps?: (value: JsonValue, span: ReaderContext) => boolean;
}

/** Events that are messages of a conversation. */
export interface MessageRule {
  /** Roles of messages by event name. */
  readonly messages: Readonly<Record<string, string>>;
  /** Likewise of answers. */
  readonly answers: Readonly<Record<string, string>>;
}

/** An event whose attributes count like those of the span, which go before them. */
export interface DetailRule {
  readonly event: string;
}

export type Rule = AttributeRule | MessageRule | DetailRule;

export const rule = (from: string, to: Target, reader: Reader): AttributeRule => ({
  from,
  to,
  reader,
});

export const ruleFor = (
  when: Condition,
  from: string,
  to: Target,
  reader: Reader,
): AttributeRule => ({ ...rule(from, to, reader), when });

const yes = () => true;

/** An attribute that has further information than the field. */
export const kept = (from: string, to: Target, reader: Reader): AttributeRule => ({
  ...rule(from, to, reader),
  keeps: yes,
});

/** An attribute that implies the type of the span. */
export const typeRule = (from: string, reader: Reader): AttributeRule =>
  kept(from, 'span_attributes.type', reader);

export const systemRule = (from: string): AttributeRule => ({
  ...rule(from, 'input', systemMessage),
  isFirst: true,
});
