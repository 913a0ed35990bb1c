/**
 * Translates PostgreSQL's advanced regular expressions for RE2. Callers ask only whether a text matches, not where. So
 * capturing groups become plain groups, and lazy quantifiers become greedy.
 */
import { say } from '../../base/sentence.ts';
import type { Scanner } from '../scanner.ts';
import { characterSource, readBrackets } from './brackets.ts';
import { readEscape, WORD_END, WORD_START } from './escapes.ts';
import type { Options } from './options.ts';
import { invalid, tooComplex, Unsupported } from './problems.ts';

/** PostgreSQL's highest repetition count. */
const MAX_COUNT = 255;
/** Deeper nesting could overflow the stack. */
const MAX_DEPTH = 200;

const LOOK_AROUND = /<?[=!]/y;
const DIGIT = /[0-9]/y;

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
export function translate(pattern: Scanner, options: Options, most = Number.POSITIVE_INFINITY): Translated {
  return new Translation(pattern, options, most).whole();
}

class Translation {
  private groups = 0;
  private readonly closedGroups = new Set<number>();
  private depth = 0;

  constructor(
    private readonly pattern: Scanner,
    private readonly options: Options,
    private readonly most: number,
  ) {}

  whole(): Translated {
    const { source, size } = this.branches();
    if (!this.pattern.atEnd) throw invalid('parentheses');
    return { source, size };
  }

  /** Everything up to the end or an unmatched `)`. */
  private branches(): Part {
    let source = '';
    let size = 0;
    let repeats = 1;
    this.skipIgnored();
    while (!this.pattern.atEnd && !this.pattern.sees(')')) {
      if (this.pattern.take('|')) {
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
    if (pattern.take('[[:<:]]')) return constraint(WORD_START);
    if (pattern.take('[[:>:]]')) return constraint(WORD_END);
    const character = pattern.next();
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
        if (pattern.sees(DIGIT)) throw invalid('operand', 'Write \\{ to match the character itself.');
        return atom('\\{');
      default:
        return atom(characterSource(character.codePointAt(0)!));
    }
  }

  private group(): Part {
    const pattern = this.pattern;
    const plain = pattern.take('?');
    if (plain && pattern.sees(LOOK_AROUND)) {
      throw new Unsupported(
        say`look-around is`,
        'Use a second filter (and, not) for text that must or must not occur there.',
      );
    }
    if (plain && !pattern.take(':')) {
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
    if (!pattern.take(')')) throw invalid('parentheses');
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
        throw new Unsupported(
          say`back-references are`,
          'Write out the alternatives that may repeat, such as (?:aa|bb).',
        );
    }
  }

  private quantifier(): Quantifier {
    const pattern = this.pattern;
    // A brace is a bound only before a digit; otherwise it is a character, left for the next piece.
    const bounded = pattern.sees(this.options.expanded ? /\{\s*[0-9]/y : /\{[0-9]/y);
    const quantifier = bounded ? this.bound() : QUANTIFIERS[pattern.takeWhile(/[*+?]/y)]!;
    if (quantifier.written !== '') pattern.take('?');
    return quantifier;
  }

  private bound(): Quantifier {
    const pattern = this.pattern;
    pattern.next();
    const least = this.count();
    let most: number | null = least;
    if (pattern.take(',')) {
      this.skipSpace();
      most = pattern.sees(DIGIT) ? this.count() : null;
    }
    if (pattern.atEnd) throw invalid('braces');
    if (!pattern.take('}') || (most !== null && least > most)) throw invalid('count', `Counts go up to ${MAX_COUNT}.`);
    return { written: `{${least},${most ?? ''}}`, least, most };
  }

  private count(): number {
    let digits = '';
    for (this.skipSpace(); this.pattern.sees(DIGIT); this.skipSpace()) digits += this.pattern.next();
    if (digits === '' || Number(digits) > MAX_COUNT) throw invalid('count', `Counts go up to ${MAX_COUNT}.`);
    return Number(digits);
  }

  /** Comments are allowed anywhere, even between an atom and its quantifier. */
  private skipIgnored(): void {
    this.skipSpace();
    while (this.pattern.take('(?#')) {
      this.pattern.takeWhile(/[^)]*/y);
      this.pattern.take(')');
      this.skipSpace();
    }
  }

  private skipSpace(): void {
    if (!this.options.expanded) return;
    this.pattern.takeWhile(/[\t-\r ]*/y);
    while (this.pattern.take('#')) {
      this.pattern.takeWhile(/[^\n]*/y);
      this.pattern.takeWhile(/[\t-\r ]*/y);
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
