/** English sentences that keep their template and values, so that a client can say them in another language. */

export type SentenceValue = string | number | Sentence;

/** A text for people. Only a sentence can be translated. */
export type Wording = string | Sentence;

export class Sentence {
  /** In English. */
  readonly words: string;

  constructor(
    /** `{0}` is the place of the first value. */
    readonly template: string,
    readonly values: readonly SentenceValue[],
  ) {
    // One of another process has no methods.
    this.words = fillTemplate(template, values, (each) => (typeof each === 'object' ? each.words : String(each)));
  }

  toString(): string {
    return this.words;
  }
}

/** The template with the text of each value at its place. */
export function fillTemplate<V>(template: string, values: readonly V[], textOf: (value: V) => string): string {
  return template.replaceAll(/\{(\d+)\}/g, (_, place: string) => textOf(values[Number(place)]!));
}

/** Tags a template: `` say`unknown key ${key}` ``. A test requires a German sentence for each. */
export function say(parts: TemplateStringsArray, ...values: readonly SentenceValue[]): Sentence {
  return new Sentence(
    parts.reduce((template, part, index) => `${template}{${index - 1}}${part}`),
    values,
  );
}

/** The texts of an answer as words, with `sentences` for those that a client can say in another language. */
export function withSentences<Answer extends object>(answer: Answer) {
  const texts = Object.entries(answer).filter((each): each is [string, Sentence] => each[1] instanceof Sentence);
  const words = Object.fromEntries(texts.map(([name, { words: text }]) => [name, text]));
  return { ...answer, ...words, ...(texts.length > 0 && { sentences: Object.fromEntries(texts) }) };
}

/** A message about a named part: `products.sku: …`. */
export function about(name: Wording, problem: Wording): Sentence {
  return say`${name}: ${problem}`;
}

/** The message without the names at its beginning that the path repeats: `clerk.products: read: …`. */
export function withoutPath(message: Wording, path: string): Wording {
  if (!(message instanceof Sentence) || message.template !== about('', '').template) return message;
  const [name, problem] = message.values as readonly [Wording, Wording];
  return `.${path}.`.includes(`.${name}.`) ? withoutPath(problem, path) : message;
}
