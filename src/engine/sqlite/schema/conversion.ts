/** SQL for values of stored rows after a migration: converted, filled in, or cleared. */
import type { Database } from 'bun:sqlite';
import { unlessRejected } from '../../../base/errors.ts';
import type { Field } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { compileRegex } from '../../../text/regex.ts';
import { computedValue, type TargetColumn, type ValueSql } from '../../migration/question.ts';
import { identifier } from '../../sql/statement.ts';
import { sqliteDialect } from '../dialect.ts';
import { computedSql } from '../functions/computed.ts';
import { defineFunctions } from '../functions/define.ts';
import { literal, ruleSql } from './schema.ts';

export function defineConversions(db: Database): void {
  defineFunctions(db);
  db.function('stored_as', (type, text) => storedAs(type, text) ?? null);
  db.function('is_readable_as', (type, text) => (text === null || storedAs(type, text) !== undefined ? 1 : 0));
  db.function('matches_pattern', (pattern, text) =>
    text === null ? null : Number(compileRegex(pattern, false).test(text)),
  );
  const now = new Map<string, Value>();
  db.function('generated_value', (name, what: 'now' | 'uuid') => {
    const made = (what === 'now' ? now.get(name) : undefined) ?? builtIn(name).generated?.[what]?.() ?? null;
    now.set(name, made);
    return inSqlite(made, builtIn(name));
  });
}

/** Undefined if the text is not a value of the type. */
function storedAs(name: string, text: string | null): number | bigint | string | null | undefined {
  if (text === null) return null;
  const type = builtIn(name);
  return unlessRejected(() => inSqlite(type.store(String(text)), type));
}

function inSqlite(value: Value, type: Type): number | bigint | string | null {
  const stored = value === null ? null : sqliteDialect.stored(value, type);
  return typeof stored === 'boolean' ? Number(stored) : stored;
}

function textOf({ name, type }: NonNullable<TargetColumn['column']>): string {
  return sqliteDialect.text(identifier(name), type);
}

export function unreadable({ field, column }: TargetColumn): string {
  return column === undefined ? 'false' : `not is_readable_as(${literal(field.type.name)}, ${textOf(column)})`;
}

export const sqliteValues: ValueSql = {
  value: (target) => {
    const { field, column, computed } = target;
    if (computed !== undefined) {
      return computedValue(target, sqliteValues, (of, columnOf) => computedSql(of, field, columnOf));
    }
    if (column === undefined) return field.generated === undefined ? defaultSql(field) : undefined;
    if (column.type === field.type) return identifier(column.name);
    return `stored_as(${literal(field.type.name)}, ${textOf(column)})`;
  },
  matches: (sql, pattern) => `matches_pattern(${literal(pattern)}, ${sql})`,
  ...ruleSql,
};

export function defaultSql({ default: value, generated, type }: Field): string {
  if (generated !== undefined) return `generated_value(${literal(type.name)}, ${literal(generated)})`;
  return value === undefined ? 'null' : sqliteValues.literal(value, type);
}
