/**
 * The JSON texts of whole rows, kept while the data does not change: a list of such rows needs their numbers from the database,
 * in order, and joins the texts. For tables that are small: all their rows fit.
 *
 * What is joined is of one moment: the mark of the data is looked at once more when all is read, and where it has changed, the
 * list is read anew.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import { closing, type Encoding, encodeRows, opening, ROW, type RowForm } from '../../encode/encoding.ts';
import { MAX_KEPT_ROW_BYTES } from '../../limits.ts';
import { oncePer } from '../../once-per.ts';
import { endKeys } from '../../plan/page-end.ts';
import { NO_ORDER, wholeRow } from '../../plan/shape.ts';
import { fieldOf, type Predicate, type ReadPlan } from '../../plan/types.ts';
import { WHOLE } from '../../plan/whole.ts';
import { endOf, type Output, outputOf, outputOfRead } from '../compile/output.ts';
import { compileRead, compileShape, scopeOf } from '../compile/read.ts';
import { buildStatement, identifier, type Statement } from '../compile/statement.ts';
import type { ChangeMark, ReadResult } from '../engine.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

export class KeptRows {
  private readonly texts = new Map<Collection, Map<number, string>>();
  /** Which rows pass the rule of a role, by the rule; it is the same object for all requests of a caller. */
  private passing = new WeakMap<Predicate, Map<number, boolean>>();
  private bytes = 0;
  private mark = Number.NaN;

  constructor(
    private readonly connection: Connection,
    private readonly changes: ChangeMark,
  ) {}

  /** Undefined where the list must be read as any other. `mark` is the data's, to which the snapshot was just brought. */
  list(plan: ReadPlan, encoding: Encoding, mark: number): ReadResult | undefined {
    if (
      plan.groupBy !== undefined ||
      encoding.format !== 'json' ||
      encoding.stripNulls ||
      plan.columns !== wholeRow(plan.from)
    )
      return undefined;
    if (mark !== this.mark || this.bytes > MAX_KEPT_ROW_BYTES) this.clear(mark);
    const named = numberNamed(plan);
    const known = named && this.known(plan.from, named);
    if (known !== undefined && this.changes.current() === mark) {
      return { returned: known === '' ? 0 : 1, body: `${opening(encoding)}${known}${closing(encoding)}` };
    }
    const output = { ...outputOfRead(plan, encoding, sqliteDialect), form: 'number' } as const;
    const rows = this.connection.rows(compileRead(plan, output, sqliteDialect));
    const texts = this.textsOf(plan.from);
    const missing: number[] = [];
    for (const row of rows) {
      const number = row[ROW] as number;
      // A key of more digits than a double has is not told from its neighbours.
      if (!Number.isSafeInteger(number)) return undefined;
      if (!texts.has(number)) missing.push(number);
    }
    if (missing.length > 0) this.learn(plan.from, texts, missing);
    // Somebody may have written just before the numbers were read: they are newer than the texts that were kept, then.
    if (this.changes.current() !== mark) return undefined;
    if (named?.rule !== undefined) this.passingOf(named.rule).set(named.number, rows.length > 0);
    let list = '';
    for (const row of rows) list += `${list === '' ? '' : ','}${texts.get(row[ROW] as number)}`;
    const body = `${opening(encoding)}${list}${closing(encoding)}`;
    return { returned: rows.length, body, end: this.endOf(plan, output, rows.at(-1), texts) };
  }

  /** The text of a row, or none where it does not pass the rule; undefined where either is not known. */
  private known(collection: Collection, { number, rule }: NamedRow): string | undefined {
    const passes = rule === undefined || this.passing.get(rule)?.get(number);
    return passes === true ? this.texts.get(collection)?.get(number) : passes === false ? '' : undefined;
  }

  private passingOf(rule: Predicate): Map<number, boolean> {
    const known = this.passing.get(rule) ?? new Map<number, boolean>();
    this.passing.set(rule, known);
    return known;
  }

  /** The order keys of a page come with the numbers, or are shown by the last row. */
  private endOf(plan: ReadPlan, output: Output, last: Row | undefined, texts: Map<number, string>): ReadResult['end'] {
    if (last === undefined || endKeys(plan) === undefined) return undefined;
    // The number of a row is its assigned key.
    if (plan.order.length === 1 && fieldOf(plan.order[0]!.expression) === plan.from.assigned)
      return [String(last[ROW])];
    const row = output.keys === undefined ? (JSON.parse(texts.get(last[ROW] as number)!) as Row) : last;
    return endOf(plan, output, row);
  }

  private learn(collection: Collection, texts: Map<number, string>, missing: number[]): void {
    missing.sort((one, other) => one - other);
    const { statement, form } = rowsByNumber(collection);
    const found = this.connection.rows({ sql: statement.sql, params: [JSON.stringify(missing)] });
    for (const [index, row] of found.entries()) {
      const text = encodeRows([row], WHOLE, form).slice(1, -1);
      texts.set(missing[index]!, text);
      this.bytes += text.length;
    }
  }

  private textsOf(collection: Collection): Map<number, string> {
    const texts = this.texts.get(collection) ?? new Map<number, string>();
    this.texts.set(collection, texts);
    return texts;
  }

  private clear(mark: number): void {
    this.texts.clear();
    this.passing = new WeakMap();
    this.bytes = 0;
    this.mark = mark;
  }
}

interface NamedRow {
  readonly number: number;
  /** What it must pass to be seen. */
  readonly rule?: Predicate;
}

/** Of a read of one row by its assigned key, which is its number: where its text is kept, the database need not be asked. */
function numberNamed({ from, where, limit, offset, count }: ReadPlan): NamedRow | undefined {
  if (limit !== undefined || offset !== 0 || count !== undefined) return undefined;
  if (where.kind === 'compare') return numberIn(from, where);
  // The rule of a role stands before all else.
  if (where.kind !== 'all' || where.terms.length !== 2) return undefined;
  const [rule, term] = where.terms as readonly [Predicate, Predicate];
  const named = numberIn(from, term);
  return named && { ...named, rule };
}

function numberIn({ assigned }: Collection, term: Predicate): NamedRow | undefined {
  if (term.kind !== 'compare' || term.operator !== '=' || assigned === undefined) return undefined;
  return fieldOf(term.of) === assigned && typeof term.value === 'number' ? { number: term.value } : undefined;
}

/** Whole rows by their numbers, in the order of these. */
const rowsByNumber = oncePer((collection: Collection): { statement: Statement; form: RowForm } => {
  const { name } = collection;
  const output = outputOf(wholeRow(collection), WHOLE, sqliteDialect);
  const statement = buildStatement(sqliteDialect, (bind) => {
    const from = `from ${identifier(name)} where rowid in (select value from json_each(${bind(null)})) order by rowid`;
    const shape = { columns: wholeRow(collection), order: NO_ORDER };
    return compileShape(shape, from, output, scopeOf(sqliteDialect, bind, name));
  });
  return { statement, form: output.form };
});
