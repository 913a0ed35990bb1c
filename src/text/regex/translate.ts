/**
 * An advanced regular expression of PostgreSQL, rewritten for RE2.
 *
 * Only whether a text matches is asked, never where, so capturing groups become plain ones and lazy quantifiers greedy.
 */
import { characterSource, readBrackets } from './brackets.ts';
import { readEscape, WORD_END, WORD_START } from './escapes.ts';
import type { Options } from './options.ts';
import type { Pattern } from './pattern.ts';
import { invalid, tooComplex, Unsupported } from './problems.ts';

/** PostgreSQL's highest repetition count. */
const MAX_COUNT = 255;
/** Deeper nesting than anyone writes, and far from the end of the stack. */
const MAX_DEPTH = 200;

const LOOK_AROUND = ['=', '!', '<=', '<!'];

/** A piece of the result; a quantifier may follow an atom, but not a constraint such as `^`. */
interface Piece {
  readonly source: string;
  readonly quantifiable: boolean;
}

export function translate(pattern: Pattern, options: Options): string {
  return new Translation(pattern, options).whole();
}

class Translation {
  readonly #pattern: Pattern;
  readonly #options: Options;
  #groups = 0;
  readonly #closedGroups = new Set<number>();
  #depth = 0;

  constructor(pattern: Pattern, options: Options) {
    this.#pattern = pattern;
    this.#options = options;
  }

  whole(): string {
    const source = this.#branches();
    if (!this.#pattern.ended) throw invalid('parentheses');
    return source;
  }

  /** Everything up to the end or an unmatched `)`. */
  #branches(): string {
    let source = '';
    this.#skipIgnored();
    while (!this.#pattern.ended && !this.#pattern.sees(')')) {
      source += this.#pattern.eat('|') ? '|' : this.#quantified();
      this.#skipIgnored();
    }
    return source;
  }

  #quantified(): string {
    const { source, quantifiable } = this.#piece();
    this.#skipIgnored();
    return quantifiable ? source + this.#quantifier() : source;
  }

  #piece(): Piece {
    const pattern = this.#pattern;
    if (pattern.eat('[[:<:]]')) return constraint(WORD_START);
    if (pattern.eat('[[:>:]]')) return constraint(WORD_END);
    const character = pattern.take();
    switch (character) {
      case '^':
        return constraint(this.#options.newlineAnchors ? '(?m:^)' : '\\A');
      case '$':
        return constraint(this.#options.newlineAnchors ? '(?m:$)' : '\\z');
      case '.':
        return atom(this.#options.newlineStops ? '[^\\n]' : '(?s:.)');
      case '[':
        return atom(readBrackets(pattern, this.#options.newlineStops));
      case '(':
        return atom(this.#group());
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw invalid('operand', `Write \\${character} to match the character itself.`);
      case '{':
        this.#skipSpace();
        if (/[0-9]/.test(pattern.peek())) throw invalid('operand', 'Write \\{ to match the character itself.');
        return atom('\\{');
      default:
        return atom(characterSource(character.codePointAt(0)!));
    }
  }

  #group(): string {
    const pattern = this.#pattern;
    const plain = pattern.eat('?');
    if (plain && LOOK_AROUND.some((mark) => pattern.sees(mark))) {
      throw new Unsupported('look-around is', 'Use a second filter (and, not) for what must or must not stand there.');
    }
    if (plain && !pattern.eat(':')) {
      throw invalid('operand', 'A group starts with ( or (?: and options only stand at the start.');
    }
    if (!plain) this.#groups += 1;
    const group = this.#groups;
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw tooComplex();
    const source = this.#branches();
    this.#depth -= 1;
    if (!pattern.eat(')')) throw invalid('parentheses');
    if (!plain) this.#closedGroups.add(group);
    return `(?:${source})`;
  }

  #escape(): Piece {
    const escaped = readEscape(this.#pattern, this.#groups);
    switch (escaped.kind) {
      case 'character':
        return atom(characterSource(escaped.codePoint));
      case 'class':
        return atom(`[${escaped.source}]`);
      case 'constraint':
        return constraint(escaped.source);
      case 'reference':
        if (!this.#closedGroups.has(escaped.group)) throw invalid('reference');
        throw new Unsupported('back-references are', 'Write out the alternatives that may repeat, such as (?:aa|bb).');
    }
  }

  #quantifier(): string {
    const pattern = this.#pattern;
    const bounded = pattern.sees('{') && this.#boundFollows();
    const quantifier = bounded ? this.#bound() : pattern.takeWhile(/[*+?]/, 1);
    if (quantifier !== '') pattern.eat('?');
    return quantifier;
  }

  /** A brace is a bound only before a digit; otherwise it is a character, left for the next piece. */
  #boundFollows(): boolean {
    let ahead = 1;
    while (this.#options.expanded && /\s/.test(this.#pattern.peek(ahead))) ahead += 1;
    return /[0-9]/.test(this.#pattern.peek(ahead));
  }

  #bound(): string {
    const pattern = this.#pattern;
    pattern.take();
    const least = this.#count();
    let most: number | null = least;
    if (pattern.eat(',')) {
      this.#skipSpace();
      most = /[0-9]/.test(pattern.peek()) ? this.#count() : null;
    }
    if (pattern.ended) throw invalid('braces');
    if (!pattern.eat('}') || (most !== null && least > most)) throw invalid('count', `Counts go up to ${MAX_COUNT}.`);
    return `{${least},${most ?? ''}}`;
  }

  #count(): number {
    let digits = '';
    for (this.#skipSpace(); /[0-9]/.test(this.#pattern.peek()); this.#skipSpace()) digits += this.#pattern.take();
    if (digits === '' || Number(digits) > MAX_COUNT) throw invalid('count', `Counts go up to ${MAX_COUNT}.`);
    return Number(digits);
  }

  /** Comments may stand anywhere, even between an atom and its quantifier. */
  #skipIgnored(): void {
    this.#skipSpace();
    while (this.#pattern.eat('(?#')) {
      this.#pattern.takeWhile(/[^)]/u);
      this.#pattern.eat(')');
      this.#skipSpace();
    }
  }

  #skipSpace(): void {
    if (!this.#options.expanded) return;
    this.#pattern.takeWhile(/[\t-\r ]/);
    while (this.#pattern.eat('#')) {
      this.#pattern.takeWhile(/[^\n]/u);
      this.#pattern.takeWhile(/[\t-\r ]/);
    }
  }
}

function atom(source: string): Piece {
  return { source, quantifiable: true };
}

function constraint(source: string): Piece {
  return { source, quantifiable: false };
}
