/**
 * Casts on the rows of the page alone. A cast that a value does not allow fails the read, and whether rows beside the
 * page are cast must not be left to an engine's planner: the page is taken first.
 */
import type { OutputColumn } from '../../plan/types.ts';
import { identifier, type SqlDialect } from './statement.ts';

export function isCast({ expression }: OutputColumn): boolean {
  return expression.kind === 'cast';
}

/** The page of groups first, then the casts of what was made of each; a group's own columns are cast to make the groups. */
export function castAfter(
  columns: readonly OutputColumn[],
  dialect: SqlDialect,
  compilePaged: (columns: readonly OutputColumn[], dialect: SqlDialect) => string,
): string {
  const { output, ...asComputed } = dialect;
  const parts = columns.map(({ name, expression }, index) => {
    const isLate = expression.kind === 'cast' && (expression.of.kind === 'aggregate' || expression.of.kind === 'count');
    const sql = identifier(`column ${index}`);
    const shown = isLate ? dialect.cast(sql, expression.of, expression.type) : sql;
    return {
      inner: { name: `column ${index}`, expression: isLate ? expression.of : expression },
      outer: `${output?.(shown, expression) ?? shown} as ${identifier(name)}`,
    };
  });
  const inner = parts.map((part) => part.inner);
  return `select ${parts.map((part) => part.outer).join(', ')} from (${compilePaged(inner, asComputed)}) as groups`;
}
