/** PostgreSQL's array literal, `{1,"two words",NULL}` or `{{1,2},{3,4}}`, with its elements as text. */
import { ApiError } from '../../../base/errors.ts';
import { type Sentence, say } from '../../../base/sentence.ts';
import { checkDimensions, type Elements, elementsOf, type Nested, printLists } from './array-shape.ts';

const SPACE = /[ \t\n\v\f\r]/;
const SPECIAL = /[,{}"\\]/;
const MISMATCH = say`Multidimensional arrays must have sub-arrays with matching dimensions.`;

export function parseArrayLiteral(text: string): Elements<string | null> {
  let position = 0;
  skipSpaces();
  if (text[position] === '[') throw malformed(text, say`"[" must introduce explicitly-specified array dimensions.`);
  if (text[position] !== '{') throw malformed(text, say`Array value must start with "{" or dimension information.`);
  const list = readList(1);
  skipSpaces();
  if (position < text.length) throw malformed(text, say`Junk after closing right brace.`);
  const { items, sizes } = elementsOf(list, () => malformed(text, MISMATCH));
  if (items.some((item) => typeof item === 'object' && item !== null)) throw malformed(text, MISMATCH);
  return { items: items as (string | null)[], sizes };

  function readList(depth: number): Nested<string | null> {
    checkDimensions(depth);
    position++;
    const items: (string | null | Nested<string | null>)[] = [];
    skipSpaces();
    if (text[position] === '}') {
      position++;
      return items;
    }
    for (;;) {
      skipSpaces();
      items.push(readItem(depth));
      skipSpaces();
      const separator = text[position];
      if (separator === undefined) throw malformed(text, say`Unexpected end of input.`);
      if (separator !== ',' && separator !== '}') throw malformed(text, say`Incorrectly quoted array element.`);
      position++;
      if (separator === '}') return items;
    }
  }

  function readItem(depth: number): string | null | Nested<string | null> {
    if (text[position] === '{') return readList(depth + 1);
    return text[position] === '"' ? readQuoted() : readPlain();
  }

  function readQuoted(): string {
    const parts: string[] = [];
    let start = ++position;
    for (; text[position] !== '"'; position++) {
      if (text[position] === '\\') {
        parts.push(text.slice(start, position));
        start = ++position;
      }
      if (position >= text.length) throw malformed(text, say`Unexpected end of input.`);
    }
    parts.push(text.slice(start, position++));
    return parts.join('');
  }

  function readPlain(): string | null {
    let value = '';
    // Trailing spaces are removed unless a backslash escapes them.
    let length = 0;
    let isEscaped = false;
    for (; position < text.length; position++) {
      let character = text[position]!;
      if (character === '\\') {
        isEscaped = true;
        character = text[++position] ?? '';
        value += character;
        length = value.length;
        continue;
      }
      if (SPECIAL.test(character)) break;
      value += character;
      if (!SPACE.test(character)) length = value.length;
    }
    if (text[position] === '{') throw malformed(text, say`Unexpected "${'{'}" character.`);
    if (text[position] === '"') throw malformed(text, say`Incorrectly quoted array element.`);
    if (length === 0) throw malformed(text, say`Unexpected "${text[position] ?? 'end of input'}" character.`);
    const plain = value.slice(0, length);
    return !isEscaped && plain.toLowerCase() === 'null' ? null : plain;
  }

  function skipSpaces(): void {
    while (position < text.length && SPACE.test(text[position]!)) position++;
  }
}

/** Prints an array as PostgreSQL does, with quotes only where needed. */
export function printArrayLiteral({ items, sizes }: Elements<string | null>): string {
  return printLists({ items: items.map((item) => (item === null ? 'NULL' : quoted(item))), sizes }, '{', '}');
}

const NEEDS_QUOTES = /^$|^null$|[ \t\n\v\f\r,{}"\\]/i;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}

function malformed(text: string, details: Sentence): ApiError {
  return new ApiError('22P02', say`malformed array literal: "${text}"`, {
    details,
    hint: 'Write a list as {1,2,3}.',
  });
}
