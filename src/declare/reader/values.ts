/** Parses values in a declaration: plain JSON that the field's type can store. */

import { ApiError } from '../../base/errors.ts';
import { MAX_VALUE_NODES } from '../../base/limits/declaration.ts';
import { say, type Wording } from '../../base/sentence.ts';
import { exactDecimal, printTrimmed } from '../../collection/types/number/decimal-text.ts';
import { movingWord } from '../../collection/types/time/moving-moment.ts';
import { can, storeJson, type Type } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Node } from './document.ts';
import { addMistake, type Reading } from './shape.ts';

export interface TypedValue {
  readonly plain: unknown;
  readonly stored: Value;
}

/** Reads a value of a type. Records a mistake and returns undefined if the type does not accept it. */
export function readValue(type: Type, node: Node, reading: Reading, what: Wording): TypedValue | undefined {
  try {
    const plain = plainValue(node, type, { left: MAX_VALUE_NODES });
    if (movesOn(plain, type)) {
      return addMistake(
        reading,
        node.at,
        say`${what} cannot be a word such as ${String(plain)}, which means another moment each time`,
      );
    }
    return { plain, stored: storeJson(type, plain) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return addMistake(reading, node.at, say`${what} is not a valid ${type.name}: ${error.withDetails()}`);
  }
}

/** Words such as `today`: a rule with one would reject tomorrow what is stored today. */
function movesOn(plain: unknown, type: Type): boolean {
  return typeof plain === 'string' && type.generated?.now !== undefined && movingWord(plain) !== undefined;
}

/** `budget` bounds the expansion of nested aliases. */
function plainValue(node: Node, type: Type, budget: { left: number }): unknown {
  if (budget.left-- <= 0) throw new ApiError('54000', say`it holds more than ${MAX_VALUE_NODES} values`);
  // An unquoted text such as 007 keeps its spelling.
  if ('source' in node && can(type, 'text')) return node.source;
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'number':
      return plainNumber(node.text, type);
    case 'boolean':
      return node.value;
    case 'null':
      return null;
    case 'list':
      return node.items.map((item) => plainValue(item, type, budget));
    case 'map':
      return Object.fromEntries(node.entries.map((entry) => [entry.key, plainValue(entry.node, type, budget)]));
  }
}

/** The digits as a text if a double would lose some. Every type but json parses numbers from text. */
function plainNumber(text: string, type: Type): number | string {
  const number = Number(text);
  const [exact, nearest] = [exactDecimal(text), exactDecimal(String(number))];
  if (exact !== undefined && nearest !== undefined && printTrimmed(exact) === printTrimmed(nearest)) return number;
  if (can(type, 'json')) throw new ApiError('22003', say`${text} has too many digits for a number in a declaration`);
  return text;
}
