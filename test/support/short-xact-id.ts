const shortMultiplier = 205891132094649n;

/** The short form of a transaction id: 16 lower-case hexadecimal digits. */
export const shortXactId = (xactId: bigint): string =>
  BigInt.asUintN(64, xactId * shortMultiplier)
    .toString(16)
    .padStart(16, '0');
