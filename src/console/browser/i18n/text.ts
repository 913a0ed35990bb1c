/**
 * The texts of the console in the language of the person: `t.app.save`, `t.grid.rows(3)`. There is one file for each
 * language. The name of a text lists its arguments, those that are numbers with `#`: `rows(#count)`. In the text,
 * `{title}` is an argument, and `{count|# row|# rows}` the form for a number.
 */
import { fillTemplate, type Wording } from '../../../base/sentence.ts';
import english from './english.json' with { type: 'json' };
import { language } from './locale.ts';
import { formatNumber, plural } from './numbers.ts';

type Argument = string | number;

/** The arguments `title, #count` as types. */
type Arguments<Names> = Names extends `${infer First}, ${infer Rest}`
  ? [...Arguments<First>, ...Arguments<Rest>]
  : [Names extends `#${string}` ? number : Argument];

/** Texts with arguments are functions. */
type Texts<Of> = {
  readonly [Name in keyof Of as Name extends `${infer Short}(${string}` ? Short : Name]: Of[Name] extends string
    ? Name extends `${string}(${infer Names})`
      ? (...values: Arguments<Names>) => string
      : string
    : Of[Name] extends readonly string[]
      ? readonly string[]
      : Texts<Of[Name]>;
};

function functionsOf(texts: object): object {
  const entries = Object.entries(texts).map(([signature, of]) => {
    const [name, names] = signature.split(/[()]/) as [string, string?];
    if (typeof of === 'object') return [name, Array.isArray(of) ? of : functionsOf(of)];
    const places = names?.replaceAll('#', '').split(', ');
    return [name, places === undefined ? of : (...values: readonly Argument[]) => fill(of, places, values)];
  });
  return Object.fromEntries(entries);
}

/** Puts the values into a text. Numbers get the format of the reader. */
function fill(text: string, places: readonly string[], values: readonly Argument[]): string {
  return text.replaceAll(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name: string, one?: string, other?: string) => {
    const value = values[places.indexOf(name)]!;
    const shown = typeof value === 'number' ? formatNumber(value) : value;
    return one === undefined ? shown : plural(value as number, one, other!).replace('#', () => shown);
  });
}

const textsOf = (texts: typeof english) => functionsOf(texts) as Texts<typeof english>;

/** English, until `loadTexts` is done. Only functions may use it, since modules run before that. */
export let t = textsOf(english);

/** The sentences of the service in the person's language, by their English templates. */
let sentences: Readonly<Record<string, string>> = {};

/** Loads the texts of the person's language. The page contains the English ones only. */
export async function loadTexts(): Promise<void> {
  if (language !== 'de') return;
  const [texts, ofService] = await Promise.all([
    import('./german.json', { with: { type: 'json' } }),
    import('./german-sentences.json', { with: { type: 'json' } }),
  ]);
  t = textsOf(texts.default);
  sentences = ofService.default;
}

/** A text of the service in the language of the person. Names and values stay as they are. */
export function translated(wording: Wording | number): string {
  if (typeof wording === 'number') return formatNumber(wording);
  if (typeof wording === 'string') return wording;
  return fillTemplate(sentences[wording.template] ?? wording.template, wording.values, translated);
}
