/** Compiles `group by`, `limit` and `offset`. */
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
 * SQLite treats a limit that is a bare parameter as part of the query plan and prepares the statement again for each
 * value, which costs as much as reading a page. Behind a plus sign it is an ordinary value.
 */
export function compilePage({ offset, limit }: { offset: number; limit?: number }, bind: Bind): string {
  if (limit === undefined && offset === 0) return '';
  const most = ` limit +${bind(limit ?? Number.MAX_SAFE_INTEGER, COUNT)}`;
  return offset === 0 ? most : `${most} offset ${bind(offset, COUNT)}`;
}
