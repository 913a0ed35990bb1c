/** Which fields hold the address of a picture: texts that are called so. */
import type { FieldDraft } from './draft.ts';

const CALLED_SO = /(^|_)(image|picture|photo|thumbnail)(_url)?$/i;

export function isImageField({ name, type }: Pick<FieldDraft, 'name' | 'type'>): boolean {
  return type === 'text' && CALLED_SO.test(name);
}
