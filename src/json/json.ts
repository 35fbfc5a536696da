// JSON values in memory.
import type { LosslessNumber } from 'lossless-json';

/**
 * A parsed value. Text that JavaScript reads exactly becomes plain objects and numbers. Other text (a
 * number that a double cannot hold, or keys like `"10"` that JavaScript would move to the front) becomes
 * `Map`s in the order of the text, and `LosslessNumber`s. Both forms can contain each other.
 */
export type JsonValue =
  null | boolean | number | string | LosslessNumber | readonly JsonValue[] | JsonObject;

export type JsonObject = Readonly<Record<string, unknown>> | ReadonlyMap<string, JsonValue>;
