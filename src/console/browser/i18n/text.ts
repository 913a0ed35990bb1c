/**
 * The texts of the console in the language of the person: `t.app.save`, `t.grid.rows(3)`. In a text, `{title}` is an
 * argument, and `{count|# row|# rows}` the form for a number.
 */
import { language } from './locale.ts';
import { formatNumber, plural } from './numbers.ts';
import { textsIn } from './one-language.ts' with { type: 'macro' };
import type * as texts from './texts/index.ts';

type Argument = string | number;

/** The arguments of a text, in the order of their first places. */
type Arguments<Text, Names extends string = never> = Text extends `${string}{${infer Inside}}${infer Rest}`
  ? Inside extends Names | `${Names}|${string}`
    ? Arguments<Rest, Names>
    : Inside extends `${infer Name}|${string}`
      ? [number, ...Arguments<Rest, Names | Name>]
      : Inside extends `${string}${'.' | '"'}${string}`
        ? Arguments<Rest, Names>
        : [Argument, ...Arguments<Rest, Names | Inside>]
  : [];

/** Texts with arguments are functions. */
type Texts<Of> = Of extends readonly [infer English, unknown]
  ? English extends string
    ? Arguments<English> extends []
      ? string
      : (...values: Arguments<English>) => string
    : readonly string[]
  : { readonly [Name in keyof Of]: Texts<Of[Name]> };

function functionsOf(of: unknown): unknown {
  if (Array.isArray(of)) return of;
  if (typeof of === 'object')
    return Object.fromEntries(Object.entries(of as object).map(([name, each]) => [name, functionsOf(each)]));
  const text = of as string;
  return /\{\d/.test(text) ? (...values: readonly Argument[]) => fill(text, values) : text;
}

/** Puts the values into a text. Numbers get the format of the reader. */
function fill(text: string, values: readonly Argument[]): string {
  return text.replaceAll(/\{(\d)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, at: string, one?: string, other?: string) => {
    const value = values[Number(at)]!;
    const shown = typeof value === 'number' ? formatNumber(value) : value;
    return one === undefined ? shown : plural(value as number, one, other!).replace('#', () => shown);
  });
}

/** English, until `loadTexts` is done. Only functions may use it, since modules run before that. */
export let t = functionsOf(textsIn('en')) as Texts<typeof texts>;

/** Loads the texts of the person's language. The page contains the English ones only. */
export async function loadTexts(): Promise<void> {
  if (language === 'de') t = functionsOf((await import('./german.ts')).german) as typeof t;
}
