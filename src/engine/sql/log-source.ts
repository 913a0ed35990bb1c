/**
 * The log of changes as tables of a statement: the `changes` of a caller, and collections as of a position. A statement
 * defines them before it begins, under the names that its plan refers to. So the compiler is the same for both.
 */
import type { Field } from '../../collection/declaration.ts';
import { fieldExpression } from '../../plan/resolve.ts';
import { isAlways, type LogView } from '../../plan/types.ts';
import { compileExpression, type Scope } from './expression.ts';
import { compilePredicate } from './predicate.ts';
import { quoteText, type SqlDialect } from './statement.ts';

/** The columns that depend on the collection of an entry, and the condition of a visible one. `log` is the entry. */
export interface LogColumns {
  readonly key: string;
  readonly kind: string;
  readonly before: string;
  readonly after: string;
  readonly condition: string;
}

/** The SQL that an engine supplies to compile them. */
export interface LogScopes {
  /** The row before and after the change. */
  readonly old: Scope;
  readonly now: Scope;
  /** Text forms as the text of a JSON list. */
  readonly listOfTexts: (texts: readonly string[]) => string;
  /** Joins texts, of which there may be many. */
  readonly concat: (texts: readonly string[]) => string;
}

/**
 * A caller sees a row before a change if the rules allow that row, and the same after it. If it sees only one of them,
 * the row entered or left its view. An update of fields that it does not see is invisible.
 */
export function logColumns(view: LogView, scopes: LogScopes): LogColumns {
  const { old, now, concat } = scopes;
  const isRuled = !isAlways(view.where);
  const seen = (kind: string, scope: Scope) => {
    const rule = isRuled ? ` and (${compilePredicate(view.where, scope)}) is true` : '';
    return `(log.kind <> '${kind}'${rule})`;
  };
  const [seesOld, seesNew] = [seen('insert', old), seen('delete', now)];
  const value = (field: Field, scope: Scope) => compileExpression(fieldExpression(field), scope);
  const isChanged = (field: Field) => `${value(field, old)} is distinct from ${value(field, now)}`;
  const isWhole = view.isWhole === true ? 'true' : `not (${seesOld} and ${seesNew})`;
  const members = (scope: Scope) =>
    byName(view.fields).map((field) => {
      const json = scope.dialect.valueAsJson(value(field, scope), field.type);
      const member = `${quoteText(`, ${JSON.stringify(field.name)}: `)} || ${json}`;
      return `case when ${isWhole} or ${isChanged(field)} then ${member} else '' end`;
    });
  const row = (isSeen: string, scope: Scope) =>
    `case when ${isSeen} then '{' || substr(${concat(members(scope))}, 3) || '}' end`;
  const isPartial = isRuled || view.fields.length < view.collection.fields.length;
  const anyChanged = view.fields.map(isChanged).join(' or ');
  return {
    key: keyOf(view, scopes),
    kind: isRuled
      ? `case when ${seesOld} and ${seesNew} then 'update' when ${seesNew} then 'insert' else 'delete' end`
      : 'log.kind',
    before: row(seesOld, old),
    after: row(seesNew, now),
    condition: isPartial ? `((${seesOld} or ${seesNew}) and (${isWhole} or ${anyChanged}))` : 'true',
  };
}

/** Columns that need no row. */
const OF_ENTRY: ReadonlySet<string> = new Set(['log.key', 'log.kind', 'null', 'null::text', 'true']);

export function needsRow(column: string): boolean {
  return !OF_ENTRY.has(column);
}

/**
 * A column of one scan of the log. It reads the row of an entry only as one of its collection, since a database may
 * test values before the collection, and rows of others have values of other types.
 */
export function columnByCollection(columns: ReadonlyMap<string, LogColumns>, part: keyof LogColumns): string {
  const [first, ...others] = new Set([...columns.values()].map((each) => each[part]));
  if (first === undefined) return 'null';
  if (others.length === 0 && !needsRow(first)) return first;
  const cases = [...columns].map(([each, found]) => `when ${quoteText(each)} then ${found[part]}`);
  return `case log.collection ${cases.join(' ')} end`;
}

/** PostgreSQL's order of names in a jsonb, so that both engines answer the same. */
function byName(fields: readonly Field[]): readonly Field[] {
  return fields.toSorted((one, other) => one.name.length - other.name.length || (one.name < other.name ? -1 : 1));
}

function keyOf({ collection: { key }, fields }: LogView, { old, now, listOfTexts }: LogScopes): string {
  if (!key.every((field) => fields.includes(field)))
    return old.dialect.nullOf?.(key[0]!.type) === undefined ? 'null' : 'null::text';
  if (key.length === 1 && isTextOfKey(key[0]!)) return 'log.key';
  const texts = key.map((field) => {
    const text = (scope: Scope) => scope.dialect.text(compileExpression(fieldExpression(field), scope), field.type);
    return `coalesce(${text(now)}, ${text(old)})`;
  });
  return texts.length === 1 ? texts[0]! : listOfTexts(texts);
}

/** Whether the log identifies a row by the text form of this field. */
function isTextOfKey({ type: { sqlite } }: Field): boolean {
  return sqlite.keyed !== true && ['sql', 'cast(sql as text)'].includes(sqlite.text?.('sql') ?? '');
}

/** The same dialect, for statements that begin with these definitions. */
export function withSources(dialect: SqlDialect, sources: NonNullable<SqlDialect['sources']>): SqlDialect {
  return { ...dialect, sources };
}
