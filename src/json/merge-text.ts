// Deep merge of JSON text into JSON text. Neither is parsed: their values are copied, so that neither a small patch of a large
// value nor a patch of many keys takes long. Both are read in steps.
import { deeper, topRule, replaces, type MergeRules, type MergeRule } from './deep-merge.js';
import type { JsonBytes } from './json-text.js';
import { membersIn, outlineOf, startOfValue, type Members, type Outline } from './outline.js';
import { endOfString } from './scan.js';
import {
  endOfValue,
  endsStep,
  nameReader,
  skipShort,
  storedText,
  type StoredText,
} from './stored-text.js';

const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;

interface Merging {
  readonly base: StoredText;
  /** The index of the first byte of the base that is neither copied nor replaced. */
  from: number;
  readonly patch: Buffer;
  readonly outline: Outline;
  /** The names to omit. */
  readonly omitted: ReadonlySet<string>;
  /** The result, in a buffer that is as long as both texts. */
  readonly merged: StoredText;
  length: number;
}

const none: ReadonlySet<string> = new Set();

/** Those of the keys that may be in the text, as JSON text. */
export function namesIn(
  { bytes, start, end }: JsonBytes,
  keys: ReadonlySet<string>,
): ReadonlySet<string> {
  if (keys.size === 0) return none;
  const text = bytes.subarray(start, end);
  let found: Set<string> | undefined;
  for (const key of keys) {
    const name = JSON.stringify(key);
    if (text.includes(name)) (found ??= new Set()).add(name);
  }
  return found ?? none;
}

/** Merges like `deepMerge`. Both are objects, spelled as `stringifyJson` does. */
export function* mergeIntoText(
  base: JsonBytes,
  patch: JsonBytes,
  rules: MergeRules,
): Generator<void, JsonBytes> {
  const rule = topRule(rules);
  const bytes = Buffer.allocUnsafe(base.end - base.start + patch.end - patch.start);
  const outline = yield* outlineOf(patch);
  const merging: Merging = {
    base: storedText(base),
    from: base.start,
    patch: patch.bytes,
    outline,
    omitted: namesIn(patch, rule.droppedKeys),
    merged: { bytes, paused: 0 },
    length: 0,
  };
  const all = { first: 0, end: outline.starts.length };
  copyBase(merging, yield* mergeObject(merging, base.start, all, rule));
  return { bytes, start: 0, end: merging.length };
}

/** Copies what precedes the byte `end` of the base. */
function copyBase(merging: Merging, end: number): void {
  const { base, merged, from } = merging;
  merging.length += base.bytes.copy(merged.bytes, merging.length, from, end);
  merging.from = end;
}

function copyPatch(merging: Merging, start: number, end: number): void {
  merging.length += merging.patch.copy(merging.merged.bytes, merging.length, start, end);
}

function put(merging: Merging, byte: number): void {
  merging.merged.bytes[merging.length] = byte;
  merging.length += 1;
}

/** Merges members of the patch into the object at `start`, and returns the index after it. */
function* mergeObject(
  merging: Merging,
  start: number,
  members: Members,
  rule: MergeRule,
): Generator<void, number> {
  const { bytes } = merging.base;
  const ruleAt = deeper(rule);
  const added = yield* byName(merging, members);
  const readName = nameReader(added);
  const isNamed = (from: number, to: number) => readName(bytes, from, to) !== '';
  let at = start + 1;
  for (;;) {
    at = skipShort(merging.base, at, true, isNamed);
    if (bytes[at] === closeBrace) break;
    const nameEnd = endOfString(bytes, at + 1);
    const name = readName(bytes, at, nameEnd);
    const member = added.get(name);
    at = yield* member === undefined
      ? endOfValue(merging.base, nameEnd + 1)
      : mergeValue(merging, nameEnd + 1, member, ruleAt);
    added.delete(name);
    if (bytes[at] === comma) at += 1;
    if (endsStep(merging.base, at)) yield;
  }
  copyBase(merging, at);
  yield* addMembers(merging, added.values(), ruleAt, at > start + 1);
  return at + 1;
}

/** The number of names of a step. */
const stepNames = 4096;

/** The members, without those to omit. */
function* byName(
  { patch, outline, omitted }: Merging,
  { first, end }: Members,
): Generator<void, Map<string, number>> {
  const named = new Map<string, number>();
  for (let member = first; member < end; member = outline.nexts[member]!) {
    const name = nameOf(patch, outline, member);
    if (!omitted.has(name)) named.set(name, member);
    if (named.size % stepNames === 0) yield;
  }
  return named;
}

const nameOf = (patch: Buffer, { starts }: Outline, member: number): string =>
  patch.toString('utf8', starts[member], startOfValue(patch, starts[member]!) - 1);

type RuleAt = (name: string) => MergeRule;

/** The rule of a member whose value is an object that does not replace that of the base. Null for other values. */
function ruleInside({ patch, outline }: Merging, member: number, ruleAt: RuleAt): MergeRule | null {
  const start = startOfValue(patch, outline.starts[member]!);
  if (patch[start] !== openBrace) return null;
  const rule = ruleAt(JSON.parse(nameOf(patch, outline, member)) as string);
  return replaces(rule) ? null : rule;
}

/** Merges a member into the value at `start`, and returns the index after it. */
function* mergeValue(
  merging: Merging,
  start: number,
  member: number,
  ruleAt: RuleAt,
): Generator<void, number> {
  const { base, outline } = merging;
  const rule = base.bytes[start] === openBrace ? ruleInside(merging, member, ruleAt) : null;
  if (rule !== null) return yield* mergeObject(merging, start, membersIn(outline, member), rule);
  const end = yield* endOfValue(base, start);
  copyBase(merging, start);
  merging.from = end;
  yield* addValue(merging, member, ruleAt);
  return end;
}

/** @param follows whether other members precede them */
function* addMembers(
  merging: Merging,
  members: Iterable<number>,
  ruleAt: RuleAt,
  follows: boolean,
): Generator<void, void> {
  const { patch, outline, merged } = merging;
  let isFirst = !follows;
  for (const member of members) {
    if (!isFirst) put(merging, comma);
    isFirst = false;
    const start = outline.starts[member]!;
    copyPatch(merging, start, startOfValue(patch, start));
    yield* addValue(merging, member, ruleAt);
    if (endsStep(merged, merging.length)) yield;
  }
}

function* addValue(merging: Merging, member: number, ruleAt: RuleAt): Generator<void, void> {
  const { patch, outline, omitted } = merging;
  const rule = omitted.size > 0 ? ruleInside(merging, member, ruleAt) : null;
  if (rule === null) {
    copyPatch(merging, startOfValue(patch, outline.starts[member]!), outline.ends[member]!);
    return;
  }
  const kept = yield* byName(merging, membersIn(outline, member));
  put(merging, openBrace);
  yield* addMembers(merging, kept.values(), deeper(rule), false);
  put(merging, closeBrace);
}
