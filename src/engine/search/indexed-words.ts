/** The words of rows, each with its hits. */
import { type Language, stemOf } from '../../text/words/languages.ts';
import { wordsOf } from '../../text/words/tokens.ts';
import { nameOfWord, type WordIndex } from './index-tables.ts';
import type { StepRow } from './steps.ts';

export interface IndexedWord {
  readonly stem: string;
  readonly word: string;
  /** In ascending order, each as `row, field, words in the field, position`. */
  readonly hits: number[];
}

export class IndexedWords {
  private readonly byName = new Map<string, IndexedWord>();
  /** The words of the texts in each language: their stems are looked up once. */
  private readonly byLanguage = new Map<Language, Map<string, IndexedWord>>();

  get all(): readonly IndexedWord[] {
    return [...this.byName.values()];
  }

  /** Adds a row with its texts. Its number is greater than those before. */
  addRow({ fields }: WordIndex, row: StepRow, document: number): void {
    for (const [field, { language }] of fields.entries()) {
      const text = row[`t${field}`];
      if (text !== null) this.addText(String(text), language, document, field);
    }
  }

  private addText(text: string, language: Language, document: number, field: number): void {
    const words = wordsOf(text);
    const length = words.reduce((most, { position }) => Math.max(most, position + 1), 0);
    const known = this.byLanguage.get(language) ?? new Map<string, IndexedWord>();
    this.byLanguage.set(language, known);
    for (const { text: word, position, parts = 1 } of words) {
      let entry = known.get(word);
      if (entry === undefined) {
        entry = this.entry(stemOf(language, word), word);
        known.set(word, entry);
      }
      // A code as a whole is one word.
      entry.hits.push(document, field, length + 1 - parts, position);
    }
  }

  private entry(stem: string, word: string): IndexedWord {
    const name = nameOfWord(stem, word);
    const entry = this.byName.get(name) ?? { stem, word, hits: [] };
    this.byName.set(name, entry);
    return entry;
  }
}
