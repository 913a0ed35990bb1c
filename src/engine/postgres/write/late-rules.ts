/** Tests the rules of a role on written rows after all of them are stored: a statement sees the tables as before it. */
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { LateRules } from '../../shared/plan-keys.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';
import { query, type Runner } from '../driver.ts';
import { CHANGED_ROWS } from '../read/row-bytes.ts';
import { storedRecordset } from './input-rows.ts';
import { refusedOf } from './statements.ts';
import type { WriteContext } from './step.ts';

const IS_NEW = { name: ' is new', type: builtIn('boolean') };

/** `rows` are the written rows as a JSON list. */
export async function checkLateRules(
  runner: Runner,
  context: WriteContext,
  rules: LateRules,
  rows: string,
): Promise<void> {
  const { collection, dialect } = context;
  const statement = buildStatement(dialect, (bind) => {
    const input = storedRecordset(context, bind(rows, TEXT), [...collection.fields, IS_NEW]);
    const refused = refusedOf(rules, scopeOf(dialect, bind, collection.name));
    return `with ${CHANGED_ROWS} as (select * from ${input}) select ${refused} as refused`;
  });
  const [found] = await query<{ refused: number }>(runner, statement);
  if (found!.refused > 0) throw rowDenied(collection.name);
}
