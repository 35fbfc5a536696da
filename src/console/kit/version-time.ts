// Versions are transaction ids, which contain their time.

const shortForm = /^[\da-f]{16}$/i;
const shortInverse = 1522336535492693385n;
const prefix = 0x0de1n;

/** The digits of a version, also of one in the short form of 16 hexadecimal digits; other texts are unchanged. */
export function decimalVersion(text: string): string {
  if (!shortForm.test(text)) return text;
  const version = BigInt.asUintN(64, BigInt(`0x${text}`) * shortInverse);
  return version >> 48n === prefix ? String(version) : text;
}

/** The latest version up to a time, in milliseconds since 1970; for an earlier time, that of 1970. */
export const versionAt = (time: number): string =>
  String((prefix << 48n) + (BigInt(Math.max(Math.floor(time / 1000), 0)) << 16n) + 0xffffn);

/** The time of a version in milliseconds since 1970; NaN for a text that is not in digits. */
export const timeOfVersion = (version: string): number =>
  /^\d+$/.test(version) ? Number((BigInt(version) >> 16n) & 0xffffffffn) * 1000 : NaN;
