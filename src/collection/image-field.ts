/** Recognizes text fields that hold the URL of a picture, by their name. */
import type { FieldDraft } from './draft.ts';

const CALLED_SO = /(^|_)(image|picture|photo|thumbnail)(_url)?$/i;

export function isImageField({ name, type }: Pick<FieldDraft, 'name' | 'type'>): boolean {
  return type === 'text' && CALLED_SO.test(name);
}
