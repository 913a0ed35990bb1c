/** The texts of the console in the language of the person: `t.app.save`, `t.grid.rows(3)`. */
import * as en from './en.ts';
import { language } from './locale.ts';

/** Texts with parameters are functions. */
type Texts<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends string
    ? string
    : Of[Name] extends (...args: infer Args) => string
      ? (...args: Args) => string
      : Texts<Of[Name]>;
};
export type AllTexts = Texts<typeof en>;

/** English, until `loadTexts` is done. Only functions may use it, since modules run before that. */
export let t: AllTexts = en;

/** Loads the texts of the person's language. The page contains the English ones only. */
export async function loadTexts(): Promise<void> {
  if (language === 'de') t = await import('./de.ts');
}
