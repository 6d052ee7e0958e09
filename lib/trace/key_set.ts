/**
 * The keys of JSON objects as bytes, so that they are recognised without becoming text.
 *
 * @module
 */

/** The keys a reader knows; several spellings may mean the same field. */
export class KeySet {
  readonly #spellings: { bytes: Uint8Array; field: number }[] = [];
  readonly #byText = new Map<string, number>();
  readonly names: string[] = [];

  /** `fields[i]` lists the spellings of field `i`, the proper one first. */
  constructor(fields: readonly (readonly string[])[]) {
    const encoder = new TextEncoder();
    fields.forEach((spellings, field) => {
      this.names.push(spellings[0]);
      for (const text of spellings) {
        this.#byText.set(text, field);
        this.#spellings.push({ bytes: encoder.encode(`${text}"`), field });
      }
    });
  }

  /** The index of the spelling whose bytes (with the closing quote) stand at `at`, or -1. Tries `guess` first. */
  spellingAt(bytes: Uint8Array, at: number, guess: number): number {
    const count = this.#spellings.length;
    for (let tried = 0; tried < count; tried++) {
      let index = guess + tried;
      if (index >= count) index -= count;
      const expected = this.#spellings[index].bytes;
      let i = 0;
      while (i < expected.length && bytes[at + i] === expected[i]) i++;
      if (i === expected.length) return index;
    }
    return -1;
  }

  lengthOf(spelling: number): number {
    return this.#spellings[spelling].bytes.length;
  }

  fieldOf(spelling: number): number {
    return this.#spellings[spelling].field;
  }

  fieldNamed(text: string): number {
    return this.#byText.get(text) ?? -1;
  }

  get spellings(): number {
    return this.#spellings.length;
  }
}
