/**
 * Parses the expression of a computed field into a syntax tree. The grammar is a part of SQL's: arithmetic, comparison,
 * `and`, `or`, `not`, `||`, `is null`, `case when`, and a few functions. It does not know which fields exist.
 */
import { MAX_EXPRESSION_LENGTH } from '../../base/limits/declaration.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { say, type Wording } from '../../base/sentence.ts';

/** A mistake in an expression, at a position in its text. */
export class ExpressionError extends Error {
  constructor(
    readonly wording: Wording,
    readonly at: number,
  ) {
    super(String(wording));
  }
}

const FUNCTIONS = ['coalesce', 'lower', 'upper', 'length', 'round', 'abs', 'filled'] as const;
const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
export type Comparison = (typeof COMPARISONS)[number];
export type Arithmetic = '+' | '-' | '*' | '/';
/** The arguments of `case` are conditions, each before its value, and at last the value of `else`. */
export type Operation =
  | (typeof FUNCTIONS)[number]
  | Comparison
  | Arithmetic
  | 'negate'
  | '||'
  | 'and'
  | 'or'
  | 'not'
  | 'is null'
  | 'case';

export type Syntax = { readonly at: number } & (
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'number' | 'text'; readonly text: string }
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | { readonly kind: 'call'; readonly operation: Operation; readonly args: readonly Syntax[] }
);

const MAX_NESTING = 50;
const MAX_DIGITS = 38;

const TOKEN =
  /\s*(?:(\d+(?:\.\d*)?|\.\d+)|([\p{L}_][\p{L}\p{N}_]*)|"((?:[^"]|"")+)"|'((?:[^']|'')*)'|(\|\||<>|!=|<=|>=|[-+*/=<>(),]))/uy;
const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const KEYWORDS = ['and', 'or', 'not', 'is', 'case', 'when', 'then', 'else', 'end', ...Object.keys(CONSTANTS)];

interface Token {
  readonly kind: 'number' | 'word' | 'name' | 'text' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

export function parseExpression(text: string): Syntax {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new ExpressionError(
      say`an expression has at most ${MAX_EXPRESSION_LENGTH} characters, not ${text.length}`,
      0,
    );
  }
  const parser = new Parser(tokensOf(text));
  return parser.whole();
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  let from = 0;
  while (from < end) {
    TOKEN.lastIndex = from;
    const match = TOKEN.exec(text);
    const at = from + (/\S/.exec(text.slice(from))?.index ?? 0);
    if (match === null) {
      const sign = text[at]!;
      const isOpen = sign === "'" || sign === '"';
      throw new ExpressionError(isOpen ? say`the ${sign} has no end` : say`${sign} is not part of an expression`, at);
    }
    const [, number, word, name, literal, sign] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, at });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"'), at });
    else if (literal !== undefined) tokens.push({ kind: 'text', text: literal.replaceAll("''", "'"), at });
    else tokens.push({ kind: 'sign', text: sign === '!=' ? '<>' : sign!, at });
    from = TOKEN.lastIndex;
  }
  return [...tokens, { kind: 'end', text: '', at: end }];
}

class Parser {
  private next = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Syntax {
    const syntax = this.either();
    if (this.token.kind !== 'end') this.fail(say`an operator`);
    return syntax;
  }

  private get token(): Token {
    return this.tokens[this.next]!;
  }

  /** The keyword or sign that follows, in lower case. */
  private get sign(): string | undefined {
    const { kind, text } = this.token;
    if (kind === 'sign') return text;
    return kind === 'word' && KEYWORDS.includes(text.toLowerCase()) ? text.toLowerCase() : undefined;
  }

  private fail(expected: Wording): never {
    const { kind, text, at } = this.token;
    const found = kind === 'end' ? say`the expression ends here` : say`${kind === 'text' ? `'${text}'` : text} is here`;
    throw new ExpressionError(say`${found}, and ${expected} is expected`, at);
  }

  private take(...signs: readonly string[]): Token | undefined {
    return signs.includes(this.sign ?? '') ? this.tokens[this.next++] : undefined;
  }

  private expect(sign: string): void {
    if (this.take(sign) === undefined) this.fail(sign);
  }

  private call(token: Token, operation: Operation, ...args: readonly Syntax[]): Syntax {
    return { kind: 'call', at: token.at, operation, args };
  }

  private chain(signs: readonly Operation[], operand: () => Syntax): Syntax {
    let left = operand();
    for (let token = this.take(...signs); token !== undefined; token = this.take(...signs)) {
      left = this.call(token, token.text.toLowerCase() as Operation, left, operand());
    }
    return left;
  }

  private readonly either = (): Syntax => this.chain(['or'], this.both);
  private readonly both = (): Syntax => this.chain(['and'], this.negation);
  private readonly joined = (): Syntax => this.chain(['||'], this.sum);
  private readonly sum = (): Syntax => this.chain(['+', '-'], this.product);
  private readonly product = (): Syntax => this.chain(['*', '/'], this.signed);

  private readonly negation = (): Syntax => {
    const token = this.take('not');
    return token === undefined ? this.comparison() : this.nested(() => this.call(token, 'not', this.negation()));
  };

  private readonly comparison = (): Syntax => {
    const left = this.joined();
    const token = this.take(...COMPARISONS);
    if (token !== undefined) return this.call(token, token.text as Comparison, left, this.joined());
    const is = this.take('is');
    if (is === undefined) return left;
    const not = this.take('not');
    this.expect('null');
    const isNull = this.call(is, 'is null', left);
    return not === undefined ? isNull : this.call(not, 'not', isNull);
  };

  private readonly signed = (): Syntax => {
    const token = this.take('-');
    return token === undefined ? this.primary() : this.nested(() => this.call(token, 'negate', this.signed()));
  };

  private nested<T>(parse: () => T): T {
    if (++this.depth > MAX_NESTING) {
      throw new ExpressionError(say`an expression may nest ${MAX_NESTING} deep`, this.token.at);
    }
    const parsed = parse();
    this.depth--;
    return parsed;
  }

  private primary(): Syntax {
    const { kind, text, at } = this.token;
    if (this.take('(')) {
      const inner = this.nested(this.either);
      this.expect(')');
      return inner;
    }
    const token = this.take('case');
    if (token !== undefined) return this.nested(() => this.choice(token));
    const constant = this.take(...Object.keys(CONSTANTS));
    if (constant !== undefined) return { kind: 'constant', at, value: CONSTANTS[constant.text.toLowerCase()]! };
    if (kind === 'end' || this.sign !== undefined) this.fail(say`a field, a number or a text`);
    this.next++;
    if (kind === 'number' && text.length > MAX_DIGITS) {
      throw new ExpressionError(say`a number has at most ${MAX_DIGITS} digits`, at);
    }
    if (kind === 'number' || kind === 'text') return { kind, at, text };
    const isCall = kind === 'word' && this.take('(') !== undefined;
    return isCall ? this.nested(() => this.functionCall(text, at)) : { kind: 'field', at, name: text };
  }

  private functionCall(name: string, at: number): Syntax {
    const operation = FUNCTIONS.find((each) => each === name.toLowerCase());
    if (operation === undefined) {
      const known = say`the functions are ${FUNCTIONS.join(', ')}`;
      throw new ExpressionError(say`unknown function ${name}${didYouMean(name, FUNCTIONS)}; ${known}`, at);
    }
    const args = [this.either()];
    while (this.take(',')) args.push(this.either());
    this.expect(')');
    return { kind: 'call', at, operation, args };
  }

  private choice(token: Token): Syntax {
    const args: Syntax[] = [];
    if (this.sign !== 'when') this.fail('when');
    while (this.take('when')) {
      args.push(this.either());
      this.expect('then');
      args.push(this.either());
    }
    const otherwise = this.take('else') ? this.either() : ({ kind: 'constant', at: token.at, value: null } as const);
    this.expect('end');
    return this.call(token, 'case', ...args, otherwise);
  }
}
