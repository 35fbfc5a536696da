// Versions are transaction ids, which contain their time.

/** The latest version up to a time, in milliseconds since 1970; for an earlier time, that of 1970. */
export const versionAt = (time: number): string =>
  String((0x0de1n << 48n) + (BigInt(Math.max(Math.floor(time / 1000), 0)) << 16n) + 0xffffn);

/** The time of a version in milliseconds since 1970; NaN for a text that is not in digits. */
export const timeOfVersion = (version: string): number =>
  /^\d+$/.test(version) ? Number((BigInt(version) >> 16n) & 0xffffffffn) * 1000 : NaN;
