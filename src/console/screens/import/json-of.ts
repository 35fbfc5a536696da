// Converts values of Parquet files to JSON text. Integers of any size keep their digits, times are ISO 8601.

export function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (value instanceof Uint8Array) return JSON.stringify(new TextDecoder().decode(value));
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
}
