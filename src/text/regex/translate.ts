/**
 * Translates PostgreSQL's advanced regular expressions for RE2. Callers ask only whether a text matches, not where. So
 * capturing groups become plain groups, and lazy quantifiers become greedy.
 */
import { characterSource, readBrackets } from './brackets.ts';
import { readEscape, WORD_END, WORD_START } from './escapes.ts';
import type { Options } from './options.ts';
import type { Pattern } from './pattern.ts';
import { invalid, tooComplex, Unsupported } from './problems.ts';

/** PostgreSQL's highest repetition count. */
const MAX_COUNT = 255;
/** Deeper nesting could overflow the stack. */
const MAX_DEPTH = 200;

const LOOK_AROUND = ['=', '!', '<=', '<!'];

/** RE2's limit of repetitions; nested bounds multiply. */
const MAX_REPEATS = 1_000;

/** A translated expression, or a part of one. */
export interface Translated {
  readonly source: string;
  /** The estimated number of instructions. */
  readonly size: number;
}

/** The content of a group or the operand of a quantifier. */
interface Part extends Translated {
  /** The repetition count of the most repeated atom. */
  readonly repeats: number;
}

/** A quantifier may follow an atom, but not a constraint such as `^`. */
interface Piece extends Part {
  readonly quantifiable: boolean;
}

/** `most` is the largest size that is translated. */
export function translate(pattern: Pattern, options: Options, most = Number.POSITIVE_INFINITY): Translated {
  return new Translation(pattern, options, most).whole();
}

class Translation {
  private groups = 0;
  private readonly closedGroups = new Set<number>();
  private depth = 0;

  constructor(
    private readonly pattern: Pattern,
    private readonly options: Options,
    private readonly most: number,
  ) {}

  whole(): Translated {
    const { source, size } = this.branches();
    if (!this.pattern.ended) throw invalid('parentheses');
    return { source, size };
  }

  /** Everything up to the end or an unmatched `)`. */
  private branches(): Part {
    let source = '';
    let size = 0;
    let repeats = 1;
    this.skipIgnored();
    while (!this.pattern.ended && !this.pattern.sees(')')) {
      if (this.pattern.eat('|')) {
        source += '|';
        size += 1;
      } else {
        const part = this.quantified();
        source += part.source;
        size += part.size;
        repeats = Math.max(repeats, part.repeats);
      }
      if (size > this.most) throw tooComplex();
      this.skipIgnored();
    }
    return { source, size, repeats };
  }

  private quantified(): Part {
    const piece = this.piece();
    this.skipIgnored();
    if (!piece.quantifiable) return piece;
    const { written, least, most } = this.quantifier();
    if (written === '') return piece;
    // Each optional or unbounded repetition takes a branch.
    const copies = Math.max(1, most ?? least);
    const repeats = piece.repeats * copies;
    if (repeats > MAX_REPEATS && this.most !== Number.POSITIVE_INFINITY) throw tooComplex();
    const branches = most === null ? 1 : most - least;
    return { source: piece.source + written, size: piece.size * copies + branches, repeats };
  }

  private piece(): Piece {
    const pattern = this.pattern;
    if (pattern.eat('[[:<:]]')) return constraint(WORD_START);
    if (pattern.eat('[[:>:]]')) return constraint(WORD_END);
    const character = pattern.take();
    switch (character) {
      case '^':
        return constraint(this.options.newlineAnchors ? '(?m:^)' : '\\A');
      case '$':
        return constraint(this.options.newlineAnchors ? '(?m:$)' : '\\z');
      case '.':
        return atom(this.options.newlineStops ? '[^\\n]' : '(?s:.)');
      case '[':
        return brackets(readBrackets(pattern, this.options.newlineStops));
      case '(':
        return { ...this.group(), quantifiable: true };
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        throw invalid('operand', `Write \\${character} to match the character itself.`);
      case '{':
        this.skipSpace();
        if (/[0-9]/.test(pattern.peek())) throw invalid('operand', 'Write \\{ to match the character itself.');
        return atom('\\{');
      default:
        return atom(characterSource(character.codePointAt(0)!));
    }
  }

  private group(): Part {
    const pattern = this.pattern;
    const plain = pattern.eat('?');
    if (plain && LOOK_AROUND.some((mark) => pattern.sees(mark))) {
      throw new Unsupported(
        'look-around is',
        'Use a second filter (and, not) for text that must or must not occur there.',
      );
    }
    if (plain && !pattern.eat(':')) {
      throw invalid(
        'operand',
        'A group starts with ( or (?: and options are allowed only at the start of the pattern.',
      );
    }
    if (!plain) this.groups += 1;
    const group = this.groups;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw tooComplex();
    const inner = this.branches();
    this.depth -= 1;
    if (!pattern.eat(')')) throw invalid('parentheses');
    if (!plain) this.closedGroups.add(group);
    return { ...inner, source: `(?:${inner.source})`, size: Math.max(1, inner.size) };
  }

  private escape(): Piece {
    const escaped = readEscape(this.pattern, this.groups);
    switch (escaped.kind) {
      case 'character':
        return atom(characterSource(escaped.codePoint));
      case 'class':
        return atom(`[${escaped.source}]`);
      case 'constraint':
        return constraint(escaped.source);
      case 'reference':
        if (!this.closedGroups.has(escaped.group)) throw invalid('reference');
        throw new Unsupported('back-references are', 'Write out the alternatives that may repeat, such as (?:aa|bb).');
    }
  }

  private quantifier(): Quantifier {
    const pattern = this.pattern;
    const bounded = pattern.sees('{') && this.boundFollows();
    const quantifier = bounded ? this.bound() : QUANTIFIERS[pattern.takeWhile(/[*+?]/, 1)]!;
    if (quantifier.written !== '') pattern.eat('?');
    return quantifier;
  }

  /** A brace is a bound only before a digit; otherwise it is a character, left for the next piece. */
  private boundFollows(): boolean {
    let ahead = 1;
    while (this.options.expanded && /\s/.test(this.pattern.peek(ahead))) ahead += 1;
    return /[0-9]/.test(this.pattern.peek(ahead));
  }

  private bound(): Quantifier {
    const pattern = this.pattern;
    pattern.take();
    const least = this.count();
    let most: number | null = least;
    if (pattern.eat(',')) {
      this.skipSpace();
      most = /[0-9]/.test(pattern.peek()) ? this.count() : null;
    }
    if (pattern.ended) throw invalid('braces');
    if (!pattern.eat('}') || (most !== null && least > most)) throw invalid('count', `Counts go up to ${MAX_COUNT}.`);
    return { written: `{${least},${most ?? ''}}`, least, most };
  }

  private count(): number {
    let digits = '';
    for (this.skipSpace(); /[0-9]/.test(this.pattern.peek()); this.skipSpace()) digits += this.pattern.take();
    if (digits === '' || Number(digits) > MAX_COUNT) throw invalid('count', `Counts go up to ${MAX_COUNT}.`);
    return Number(digits);
  }

  /** Comments are allowed anywhere, even between an atom and its quantifier. */
  private skipIgnored(): void {
    this.skipSpace();
    while (this.pattern.eat('(?#')) {
      this.pattern.takeWhile(/[^)]/u);
      this.pattern.eat(')');
      this.skipSpace();
    }
  }

  private skipSpace(): void {
    if (!this.options.expanded) return;
    this.pattern.takeWhile(/[\t-\r ]/);
    while (this.pattern.eat('#')) {
      this.pattern.takeWhile(/[^\n]/u);
      this.pattern.takeWhile(/[\t-\r ]/);
    }
  }
}

interface Quantifier {
  readonly written: string;
  readonly least: number;
  /** Null if unbounded. */
  readonly most: number | null;
}

const QUANTIFIERS: Readonly<Record<string, Quantifier>> = {
  '': { written: '', least: 1, most: 1 },
  '*': { written: '*', least: 0, most: null },
  '+': { written: '+', least: 1, most: null },
  '?': { written: '?', least: 0, most: 1 },
};

function atom(source: string, size = 1): Piece {
  return { source, size, repeats: 1, quantifiable: true };
}

/** One instruction, but matching a large set of characters takes longer. */
const CHARACTERS_A_STEP = 256;

function brackets(source: string): Piece {
  return atom(source, 1 + Math.floor(source.length / CHARACTERS_A_STEP));
}

function constraint(source: string): Piece {
  return { source, size: 1, repeats: 1, quantifiable: false };
}
