/** PostgreSQL's array literal, `{1,"two words",null}`: the lists of `(any)` and `(all)`. */
import { tooManyValues } from '../dialect/filter.ts';
import { Refusal } from '../errors.ts';
import { MAX_LIST_VALUES } from '../limits.ts';

export function parseArrayLiteral(text: string): (string | null)[] {
  const literal = text.trim();
  if (!literal.startsWith('{')) throw malformed(text, 'Array value must start with "{" or dimension information.');
  const values: (string | null)[] = [];
  let position = 1;
  const skipSpaces = () => {
    while (/\s/.test(literal[position] ?? '')) position++;
  };
  skipSpaces();
  if (literal[position] === '}') {
    if (position !== literal.length - 1) throw malformed(text, 'Junk after closing right brace.');
    return values;
  }
  for (;;) {
    skipSpaces();
    values.push(literal[position] === '"' ? readQuoted() : readPlain());
    if (values.length > MAX_LIST_VALUES) throw tooManyValues();
    skipSpaces();
    const separator = literal[position++];
    if (separator === ',') continue;
    if (separator !== '}') throw malformed(text, 'Unexpected end of input.');
    if (position !== literal.length) throw malformed(text, 'Junk after closing right brace.');
    return values;
  }

  function readQuoted(): string {
    let value = '';
    for (position++; literal[position] !== '"'; position++) {
      if (literal[position] === '\\') position++;
      if (position >= literal.length) throw malformed(text, 'Unexpected end of input.');
      value += literal[position];
    }
    position++;
    return value;
  }

  function readPlain(): string | null {
    let value = '';
    for (; position < literal.length && !/[,{}"]/.test(literal[position]!); position++) {
      if (literal[position] === '\\') position++;
      value += literal[position] ?? '';
    }
    const trimmed = value.trim();
    if (trimmed === '') throw malformed(text, `Unexpected "${literal[position] ?? 'end of input'}" character.`);
    return trimmed.toLowerCase() === 'null' ? null : trimmed;
  }
}

function malformed(text: string, details: string): Refusal {
  return new Refusal('22P02', `malformed array literal: "${text}"`, { details, hint: 'Write a list as {1,2,3}.' });
}
