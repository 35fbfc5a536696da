// Knuth-Morris-Pratt search in a stream of symbols.

export type Piece = readonly number[];

export interface Finder {
  /** Processes the next symbol. Returns true if an occurrence ends with it. */
  readonly take: (symbol: number) => boolean;
}

/** The failure function: for each prefix of the piece, the length of its longest proper prefix that is also a suffix. */
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

/** A finder for one search. The piece must not be empty. The time is linear in the symbols and the length of the piece. */
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
