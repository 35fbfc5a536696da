// Finds the strings in JSON text, whose brackets and commas mean nothing.

export class JsonStrings {
  #isInside = false;
  #isEscaped = false;

  /** Takes the next character. Returns whether it is part of a string, its quotes included. */
  take(character: string): boolean {
    if (!this.#isInside) return (this.#isInside = character === '"');
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInside = false;
    return true;
  }
}

export const isSpace = (character: string): boolean => /\s/.test(character);
