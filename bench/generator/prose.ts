// Draws -> text that compresses and searches like people's messages: few words often, many words rarely.
import { drawFrom, type Draw } from './draw.js';

/** Stands in every tenth text. */
export const frequentWord = 'refund';
/** Stands in one event of about 20,000. */
export const rareWord = 'zyxquartz';

const vocabularySize = 12_000;
const vocabularySeed = 7;
const wordBits = 16;
const wordsPerSentence = 14;
const wordsPerLine = 60;

const onsets = 'b c d f g h j k l m n p r s t v w st tr pl gr ch sh br'.split(' ');
const vowels = 'a e i o u ea ou ai é'.split(' ');
const codas = ['', '', 'n', 'r', 's', 't', 'l', 'ng', 'm', 'nd'];

function makeWord(draw: Draw): string {
  const syllables = 1 + Math.floor(draw.uniform() ** 1.5 * 4);
  const parts = Array.from(
    { length: syllables },
    () => draw.pick(onsets) + draw.pickSkewed(vowels) + draw.pickSkewed(codas),
  );
  return parts.join('');
}

/** A table in which each word stands as often as it should be drawn: the n-th about 1/n times. */
function wordTable(): readonly string[] {
  const draw = drawFrom(vocabularySeed);
  const weights = Array.from({ length: vocabularySize }, (_, rank) => 1 / (rank + 3));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table: string[] = [];
  let passed = 0;
  for (const weight of weights) {
    passed += weight;
    const word = makeWord(draw);
    while (table.length < (passed / total) * 2 ** wordBits) table.push(word);
  }
  return table;
}

const table = wordTable();
const mask = table.length - 1;

const separator = (count: number): string => {
  if (count % wordsPerLine === 0) return '.\n\n';
  return count % wordsPerSentence === 0 ? '. ' : ' ';
};

/** About `length` characters. */
export function prose(draw: Draw, length: number): string {
  let text = draw.chance(0.1) ? `${frequentWord} ` : '';
  for (let count = 1; text.length < length;) {
    const bits = draw.bits();
    text += table[bits & mask] + separator(count++);
    text += table[(bits >>> wordBits) & mask] + separator(count++);
  }
  return text;
}
