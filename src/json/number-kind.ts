// Of which kind the numbers in the kinds of a row are: told here, since SQL for it takes longer to plan than most queries run.
import { doubleHolds } from './tree.js';

/** Stands around the text of a number; no letter of a kind. */
export const numberMark = '#';

const markedNumber = /#([^#]*)#/g;

/** `i` for an integer below 2^53, `d` for another number that a double holds, `j` for one that it does not. */
export function kindOfNumber(text: string): 'i' | 'd' | 'j' {
  const number = Number(text);
  if (!doubleHolds(text)) return 'j';
  if (Number.isSafeInteger(number)) return 'i';
  return Number.isInteger(number) ? 'j' : 'd';
}

/** `kinds` with a letter in the place of each number between marks. */
export const withNumberKinds = (kinds: string): string =>
  kinds.includes(numberMark)
    ? kinds.replace(markedNumber, (_, text: string) => kindOfNumber(text))
    : kinds;
