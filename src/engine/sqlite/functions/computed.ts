/**
 * Computed fields: SQLite calls the evaluation of expressions, since its own arithmetic is not exact. The function has
 * the expression and the types as text, so a table is complete without the declaration.
 */
import type { Database } from 'bun:sqlite';
import { memoizeText } from '../../../base/memo.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import { evaluate } from '../../../collection/expression/evaluate.ts';
import { compileComputed } from '../../../collection/expression/expression.ts';
import { builtIn } from '../../../collection/types/index.ts';
import { withLocation } from '../../../plan/coerce.ts';
import { quoteText } from '../../sql/statement.ts';
import { plainSql } from './computed-sql.ts';
import { storedForm, valueIn } from './stored-values.ts';

interface Described {
  readonly name: string;
  readonly type: string;
  readonly computed: string;
  /** The types of the arguments, by field. */
  readonly fields: Readonly<Record<string, string>>;
}

/** `column` is the SQL of a field that the expression uses. */
export function computedSql(collection: Collection, field: Field, column: (name: string) => string): string {
  const plain = plainSql(collection, field, column);
  if (plain !== undefined) return plain;
  const { text, uses } = field.computed!;
  const fields = Object.fromEntries(uses.map((name) => [name, collection.byName.get(name)!.type.name]));
  const described: Described = { name: field.name, type: field.type.name, computed: text, fields };
  return `computed(${[quoteText(JSON.stringify(described)), ...uses.map(column)].join(', ')})`;
}

/** By text; as many as tables have computed fields. */
const readDescription = memoizeText(
  (text) => {
    const { name, type: typeName, computed, fields } = JSON.parse(text) as Described;
    const types = Object.entries(fields).map(([field, each]) => ({
      name: field,
      type: builtIn(each),
      isComputed: false,
    }));
    const type = builtIn(typeName);
    return { name, type, types, expression: compileComputed(computed, type, types).expression };
  },
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
);

export function defineComputed(db: Database): void {
  db.function('computed', { deterministic: true, safeIntegers: true, varargs: true }, (text, ...stored) => {
    const { name, type, types, expression } = readDescription(text);
    try {
      const read = (field: string) => {
        const at = types.findIndex((each) => each.name === field);
        return valueIn(types[at]!.type, stored[at]);
      };
      return storedForm(type, evaluate(expression, type, read));
    } catch (error) {
      throw withLocation(error, undefined, { name });
    }
  });
}
