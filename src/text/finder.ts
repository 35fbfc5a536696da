// Finds a piece in a stream of symbols without going back: the algorithm of Knuth, Morris and Pratt.

export type Piece = readonly number[];

export interface Finder {
  /** Takes the next symbol; true when the piece ends with it. */
  readonly take: (symbol: number) => boolean;
}

/** For each length of a part of the piece from its start: the longest shorter such part that it ends with. */
function bordersOf(piece: Piece): Int32Array {
  const borders = new Int32Array(piece.length + 1);
  let length = 0;
  for (let index = 1; index < piece.length; index += 1) {
    while (length > 0 && piece[index] !== piece[length]) length = borders[length]!;
    if (piece[index] === piece[length]) length += 1;
    borders[index + 1] = length;
  }
  return borders;
}

/** The piece has at least one symbol. For one search; the time is linear in the symbols and the length of the piece. */
export function finderOf(piece: Piece): () => Finder {
  const borders = bordersOf(piece);
  return () => {
    let matched = 0;
    return {
      take: (symbol) => {
        if (matched === piece.length) matched = borders[matched]!;
        while (matched > 0 && piece[matched] !== symbol) matched = borders[matched]!;
        if (piece[matched] === symbol) matched += 1;
        return matched === piece.length;
      },
    };
  };
}
