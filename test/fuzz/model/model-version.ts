// Versions by their definition: the short spelling, and which of them show the same rows.
import { liveAt, type ModelObject } from './model-server.js';

const multiplier = 205_891_132_094_649n;

/** 16 hex digits. */
export const formatShortVersion = (xactId: bigint): string =>
  BigInt.asUintN(64, xactId * multiplier)
    .toString(16)
    .padStart(16, '0');

const placesAt = (objects: readonly ModelObject[], at: bigint): string =>
  liveAt(objects, at)
    .map(({ xactId, position }) => `${xactId}/${position}`)
    .join();

export const sameLiveRows = (
  objects: readonly ModelObject[],
  one: bigint,
  other: bigint,
): boolean => one === other || placesAt(objects, one) === placesAt(objects, other);
