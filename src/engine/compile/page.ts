/** What comes after the conditions of a read, in SQL: its groups, and the part of it that is asked for. */
import { builtIn } from '../../collection/types/index.ts';
import type { Expression } from '../../plan/types.ts';
import { compileOperand, type Scope } from './expression.ts';
import type { Bind } from './statement.ts';

const COUNT = builtIn('int8');

export function compileGroupBy(groupBy: readonly Expression[], scope: Scope): string {
  const keys = groupBy.filter((expression) => expression.kind !== 'null');
  return keys.length === 0
    ? ''
    : ` group by ${keys.map((each) => scope.dialect.groupedBy(compileOperand(each, scope))).join(', ')}`;
}

/**
 * A limit that is a parameter and nothing else is for SQLite a part of the plan, and the statement is prepared again each
 * time it is run, which takes as long as reading a page. After a plus it is a value.
 */
export function compilePage({ offset, limit }: { offset: number; limit?: number }, bind: Bind): string {
  if (limit === undefined && offset === 0) return '';
  const most = ` limit +${bind(limit ?? Number.MAX_SAFE_INTEGER, COUNT)}`;
  return offset === 0 ? most : `${most} offset ${bind(offset, COUNT)}`;
}
