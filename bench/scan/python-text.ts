// A value -> JSON text as Python's json.dumps spells it: spaces behind commas and colons, everything but ASCII escaped,
// a point in every float.

/** Names of members that Python holds as floats. */
const floats = new Set(['start', 'end', 'time_to_first_token', 'factuality', 'accuracy', 'score']);

export function pythonText(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((item) => pythonText(item)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => `${pythonText(key)}: ${pythonText(member, key)}`);
    return `{${members.join(', ')}}`;
  }
  if (typeof value === 'string') return asciiText(value);
  if (Number.isInteger(value) && floats.has(name)) return `${String(value)}.0`;
  return JSON.stringify(value);
}

const asciiText = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[^\0-~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
