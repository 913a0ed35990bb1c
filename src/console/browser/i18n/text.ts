/** The texts of the console in the language of the person: `t.app.save`, `t.grid.rows(3)`. */
import * as de from './de.ts';
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

export const t: AllTexts = language === 'de' ? (de satisfies AllTexts) : en;
