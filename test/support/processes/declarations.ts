/** Helpers that parse declaration texts, and return drafts or the errors in them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Sentence, type SentenceValue } from '../../../src/base/sentence.ts';
import type { CatalogueDraft, FieldDraft } from '../../../src/collection/draft.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { DeclarationError } from '../../../src/declare/reader/mistakes.ts';

/** A declaration with every type and every kind of reference. Its rows are in the same folder. */
export const SHOP = fileURLToPath(new URL('../../data/shop/collections.yaml', import.meta.url));
export const SHOP_TEXT = readFileSync(SHOP, 'utf8');

export async function declared(text: string, file = 'collections.yaml'): Promise<CatalogueDraft> {
  return parseDeclaration(text, file);
}

/** Returns a declaration with one collection, `things`, that has these field lines. */
export function withFields(...lines: readonly string[]): string {
  return ['collections:', '  things:', '    fields:', ...lines.map((line) => `      ${line}`), ''].join('\n');
}

/** Parses a declaration with this single field and returns the field. */
export async function declaredField(line: string): Promise<FieldDraft> {
  const { collections } = await declared(withFields('id: int4', line));
  return collections[0]!.fields[1]!;
}

/** Returns the errors as `line:column message`, in their order; an empty list for a valid declaration. */
export async function mistakesIn(text: string, file?: string): Promise<string[]> {
  try {
    await declared(text, file);
    return [];
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    // The messages of the YAML parser are no sentences.
    const sentences = error.mistakes.map(({ message }) => message).filter((each) => each instanceof Sentence);
    const english = sentences.flatMap(wordsIn).filter((words) => !text.includes(words));
    if (english.length > 0) throw new Error(`clients cannot translate these values: ${english.join(' | ')}`);
    return error.mistakes.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}

/** The values of a sentence that have three words in a row. Only templates are translated. */
function wordsIn(message: SentenceValue): readonly string[] {
  if (message instanceof Sentence) return message.values.flatMap(wordsIn);
  return typeof message === 'string' && /[a-z]{2} [a-z]+ [a-z]/i.test(message) ? [message] : [];
}
