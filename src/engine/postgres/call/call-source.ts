/** A function call as a table of a statement: the function runs once, and the compiler treats it as any other read. */
import type { DatabaseFunction, Parameter } from '../../../collection/declaration.ts';
import { VALUE_COLUMN } from '../../../collection/routines.ts';
import { printArrayLiteral } from '../../../collection/types/array/array-literal.ts';
import type { FunctionCall, ReadPlan } from '../../../plan/types.ts';
import { withSources } from '../../sql/log-source.ts';
import { type Bind, columnList, identifier, type SqlDialect } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';

/** The names of the rows and of the arguments in a statement. No name of a collection begins with a space. */
const ROWS = ' call rows';
const ARGUMENTS = '" call arguments"';
const CALLED = '" called"';

/** The plan that reads the rows of the call. They have no key: a function may return a row twice. */
export function planOfRows(plan: ReadPlan): ReadPlan {
  return { ...plan, from: { ...plan.from, name: ROWS, key: [] } };
}

export function callDialect(dialect: SqlDialect, call: FunctionCall, schema: string): SqlDialect {
  return withSources(dialect, (bind) => `${identifier(ROWS)} as materialized (${callSql(call, schema, bind)})`);
}

function callSql({ function: routine, arguments: given }: FunctionCall, schema: string, bind: Bind): string {
  const { from, list } = argumentsSql(routine, given, bind);
  const called = `${identifier(schema)}.${identifier(routine.name)}(${list.join(', ')})`;
  const { returns } = routine;
  if (returns === undefined || returns.isValue) {
    return `select ${called} as ${identifier(VALUE_COLUMN)}${from === '' ? '' : ` from ${from}`}`;
  }
  const columns = returns.isDeclared ? '' : ` (${columnList(returns.collection.fields)})`;
  return `select ${CALLED}.* from ${from === '' ? '' : `${from}, lateral `}${called} as ${CALLED}${columns}`;
}

/** Only parameters that the call gives are passed, so that the function's own defaults apply. */
function argumentsSql(
  { parameters, body }: DatabaseFunction,
  given: FunctionCall['arguments'],
  bind: Bind,
): { readonly from: string; readonly list: readonly string[] } {
  const passed = ({ name, isVariadic }: Parameter, sql: string) =>
    `${isVariadic === true ? 'variadic ' : ''}${identifier(name)} => ${sql}`;
  if (given.kind === 'body') return { from: '', list: [`${bind(given.text, TEXT)}::${body}`] };
  if (given.kind === 'texts') {
    const list = parameters.flatMap((parameter) => {
      const texts = given.texts.get(parameter.name);
      if (texts === undefined) return [];
      const text =
        parameter.isVariadic === true ? printArrayLiteral({ items: texts, sizes: [texts.length] }) : texts.at(-1)!;
      return passed(parameter, `${bind(text, TEXT)}::${parameter.type.postgres.name}`);
    });
    return { from: '', list };
  }
  const used = parameters.filter(({ name }) => given.names.includes(name));
  if (used.length === 0) return { from: '', list: [] };
  const types = used.map(({ name, type }) => `${identifier(name)} ${type.postgres.name}`);
  return {
    from: `json_to_record(${bind(given.text, TEXT)}::json) as ${ARGUMENTS} (${types.join(', ')})`,
    list: used.map((parameter) => passed(parameter, `${ARGUMENTS}.${identifier(parameter.name)}`)),
  };
}
