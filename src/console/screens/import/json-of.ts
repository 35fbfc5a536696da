// Converts values of Parquet files to JSON text. Numbers of any size keep their digits, times are ISO 8601.

/** A value that is JSON text already. */
export class JsonText {
  constructor(readonly text: string) {}

  /** As a key of a map. */
  toString(): string {
    return this.text;
  }
}

/** @param value an integer, or its bytes in two's complement; the last `scale` digits are behind the point */
export function decimalText(value: number | bigint | Uint8Array, scale: number): string {
  const integer =
    value instanceof Uint8Array
      ? BigInt.asIntN(
          8 * value.length,
          value.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
        )
      : BigInt(value);
  const sign = integer < 0n ? '-' : '';
  const digits = String(integer)
    .replace('-', '')
    .padStart(scale + 1, '0');
  const point = digits.length - scale;
  return sign + digits.slice(0, point) + (scale === 0 ? '' : `.${digits.slice(point)}`);
}

/**
 * ISO 8601 with milliseconds, or with all digits if one of the others is not 0.
 * @param value the time since 1970, in a unit with so many more digits than milliseconds
 */
export function timeText(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const rest = ((value % unit) + unit) % unit;
  const text = new Date(Number((value - rest) / unit)).toISOString();
  return rest === 0n ? text : text.replace('Z', `${String(rest).padStart(digits, '0')}Z`);
}

export function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof JsonText) return value.text;
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (value instanceof Uint8Array) return JSON.stringify(new TextDecoder().decode(value));
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`)
      .join(',')}}`;
  return JSON.stringify(value) ?? 'null';
}
