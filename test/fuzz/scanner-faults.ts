// Faults for the comparison of scanner and decoder: one change of the built server each.
import type { Change } from '../support/planted.js';

export interface ScannerFault extends Change {
  readonly name: string;
}

export const scannerFaults: readonly ScannerFault[] = [
  {
    name: 'a name that comes twice is taken',
    file: 'json/compact/name.js',
    from: 'if (hashes[index] === hash)',
    to: 'if (hashes[index] === hash && index < 0)',
  },
  {
    name: 'the name of a member is forgotten behind its object',
    file: 'json/compact/value.js',
    from: 'names.count = firstName;',
    to: 'names.count = Math.max(0, firstName - 1);',
  },
  {
    name: 'a name that is an array index is taken',
    file: 'json/compact/name.js',
    from: 'return at === end && at > start;',
    to: 'return false;',
  },
  {
    name: 'an escaped line feed becomes a raw one',
    file: 'json/compact/string.js',
    from: 'Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1))',
    to: 'Buffer.from(String.fromCharCode(code))',
  },
  {
    name: 'an escaped character of two bytes is one off',
    file: 'json/compact/string.js',
    from: 'bytes[at++] = 0xc0 | (code >> 6);',
    to: 'bytes[at++] = 0xc1 | (code >> 6);',
  },
  {
    name: 'an escaped pair of surrogates is one off',
    file: 'json/compact/string.js',
    from: '0x10000 + ((code - 0xd800) << 10)',
    to: '0x10001 + ((code - 0xd800) << 10)',
  },
  {
    name: 'a lone surrogate is written as it is',
    file: 'json/compact/string.js',
    from: 'if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)',
    to: 'if (low > 0xdfff)',
  },
  {
    name: 'an escaped solidus keeps its backslash',
    file: 'json/compact/string.js',
    from: 'dropBytes(text, at, at + 1);',
    to: '',
  },
  {
    name: 'any escape is taken',
    file: 'json/compact/string.js',
    from: 'if (escape === stays)',
    to: 'if (escape !== solidus && escape !== unicode)',
  },
  {
    name: 'control characters are taken in strings',
    file: 'json/compact/string.js',
    from: 'if (byte !== backslash)',
    to: 'if (byte > 0 && byte < 0x20) { at += 1; continue; } if (byte !== backslash)',
  },
  {
    name: 'a run of bytes is moved three bytes too far',
    file: 'json/compact/text.js',
    from: 'read + 4 <= to;',
    to: 'read < to;',
  },
  {
    name: 'text that is not ASCII is taken for ASCII',
    file: 'json/compact/text.js',
    from: "wide === 0 ? 'latin1' : 'utf8'",
    to: "'latin1'",
  },
  {
    name: 'the bytes that were left out stay at the end of a value',
    file: 'json/compact/text.js',
    from: 'return { bytes: text.bytes, start, end: text.write };',
    to: 'return { bytes: text.bytes, start, end };',
  },
  {
    name: 'bytes that are not UTF-8 are taken',
    file: 'json/compact/text.js',
    from: 'return isUtf8(bytes.subarray(0, text.end));',
    to: 'return true;',
  },
  {
    name: 'zeros at the end of a fraction stay',
    file: 'json/compact/number.js',
    from: 'if (last < end)',
    to: 'if (last < fraction)',
  },
  {
    name: 'zeros at the beginning of a number are taken',
    file: 'json/compact/number.js',
    from: '(bytes[whole] === zero && wholeEnd > whole + 1)',
    to: 'false',
  },
  {
    name: 'numbers of any length are taken as they are',
    file: 'json/compact/number.js',
    from: 'end - whole > exactDigits',
    to: 'end - whole > 100',
  },
  {
    name: 'a number that no double holds is rounded',
    file: 'json/compact/number.js',
    from: 'printed.length > spelled.length || !doubleHolds(spelled)',
    to: 'printed.length > spelled.length',
  },
  {
    name: 'minus zero keeps its sign',
    file: 'json/compact/number.js',
    from: 'last < fraction ? isNegative : startsWithZeros(bytes, fraction)',
    to: 'last >= fraction && startsWithZeros(bytes, fraction)',
  },
  {
    name: 'a comma may end an array',
    file: 'json/compact/value.js',
    from: 'if (bytes[at] === closeBracket)',
    to: 'if (bytes[at] === closeBracket || bytes[at] === comma)',
  },
  {
    name: 'an object may be closed by a bracket',
    file: 'json/compact/value.js',
    from: 'return bytes[at] === closeBrace ? at + 1 : ~at;',
    to: 'return bytes[at] === closeBrace || bytes[at] === closeBracket ? at + 1 : ~at;',
  },
  {
    name: 'booleans stay booleans in scores',
    file: 'json/compact/value.js',
    from: "kind === 'any'",
    to: "kind === 'any' || kind === 'score'",
  },
  {
    name: 'members of metrics are not checked',
    file: 'event/scan-fields.js',
    from: "return known.size === 0 && others === 'any' ? null : { known, others };",
    to: "return others === 'any' ? null : { known, others };",
  },
  {
    name: 'values of fields are not checked',
    file: 'event/scan-event.js',
    from: 'if (!field.accepts(value))',
    to: 'if (!field.accepts)',
  },
  {
    name: 'a field of the event before is kept',
    file: 'event/scan-event.js',
    from: 'found.texts.fill(undefined);',
    to: '',
  },
  {
    name: 'null is taken for a text',
    file: 'event/scan-event.js',
    from: 'text.bytes[at] === letterN ? null : written(text, at, end)',
    to: 'written(text, at, end)',
  },
  {
    name: 'escapes in an id are taken for what they are spelled with',
    file: 'event/scan-event.js',
    from: ' || hasBackslash(bytes, start, end)',
    to: '',
  },
  {
    name: 'a name is taken for a field that has its hash',
    file: 'event/scan-event.js',
    from: 'if (field !== undefined && !isNamed(text, start, nameEnd, field))',
    to: 'if (field === null)',
  },
  {
    name: 'a row of a dataset keeps the fields of spans',
    file: 'event/scan-row.js',
    from: '(found.sent & otherRowFields[object.kind]) !== 0',
    to: 'false',
  },
  {
    name: 'a comment is taken for an event',
    file: 'event/scan-fields.js',
    from: 'comment: absent,',
    to: '',
  },
  {
    name: 'an event without a comma behind it is taken',
    file: 'json/scanned-list.js',
    from: 'bytes[behind] !== comma',
    to: 'bytes[behind] === 0',
  },
];
