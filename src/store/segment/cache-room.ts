// How much of a disk a cache may take up.

const share = 4;

/** Bytes: `bytesMax`, but no more than a quarter of what would be free without the `held` ones. */
export const roomOf = (bytesMax: number, held: number, free: number): number =>
  Math.min(bytesMax, Math.floor((held + free) / share));
