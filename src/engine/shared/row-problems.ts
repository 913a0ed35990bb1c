/**
 * Finds all rows of a body that the stored data rejects: unique values that another row has, references to rows that do
 * not exist, rows that a bulk update does not find, and rows that the role may not write. Each check is one statement
 * per slice of rows. The write itself decides whether a request succeeds.
 */
import { mapInSlices, ROWS_PER_SLICE, schedule } from '../../base/cooperative.ts';
import type { Report } from '../../base/error-list.ts';
import type { ApiError } from '../../base/errors.ts';
import type { Collection, Field, Reference } from '../../collection/declaration.ts';
import { rowDenied } from '../../collection/permission-errors.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Row, Value } from '../../collection/value.ts';
import { andAlso } from '../../plan/access/permissions.ts';
import { valuesOf } from '../../plan/keys.ts';
import {
  ALWAYS,
  type InsertPlan,
  type Predicate,
  type Restriction,
  type UpdateEachPlan,
  type WritePlan,
} from '../../plan/types.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import { compilePredicate } from '../sql/predicate.ts';
import { scopeOf } from '../sql/read.ts';
import {
  type Bind,
  buildStatement,
  INPUT_ROWS,
  identifier,
  type SqlDialect,
  type Statement,
} from '../sql/statement.ts';
import { checkBeforeInsert, isKnownBefore } from './plan-keys.ts';
import { duplicateKey, missingReference, missingRow, notInFilter, printValues, withRowIndex } from './write-checks.ts';

type RowValues = readonly (Value | undefined)[];

/** The statements that differ between engines. */
export interface RowSource {
  readonly dialect: SqlDialect;
  /** Rows to compare with a collection, as a table with the name INPUT_ROWS. */
  input(collection: Collection, fields: readonly Field[], rows: readonly RowValues[], bind: Bind): string;
  query(statement: Statement): Promise<readonly Row[]>;
}

const ROW_INDEX = 'row index';
const IS_MET = 'is met';

/** A row as the write would leave it. */
interface ResultRow {
  readonly index: number;
  /** In field order; undefined if the database supplies the value. */
  readonly row: RowValues;
  /** The key of the stored row that it changes. */
  readonly own?: string;
  readonly writes: (field: Field) => boolean;
}

interface Indexed {
  readonly index: number;
  readonly values: RowValues;
}

interface StoredMatch {
  readonly row: Row;
  readonly isMet: boolean;
}

export async function reportProblems(plan: WritePlan, source: RowSource, report: Report): Promise<void> {
  if (plan.kind === 'insert') await new RowCheck(plan.into, source, report, plan.rows.length > 1).insert(plan);
  if (plan.kind === 'update-each') await new RowCheck(plan.into, source, report, true).updateEach(plan);
}

class RowCheck {
  constructor(
    private readonly into: Collection,
    private readonly source: RowSource,
    private readonly report: Report,
    private readonly isList: boolean,
  ) {}

  async insert(plan: InsertPlan): Promise<void> {
    const { into } = this;
    const { conflict, restriction } = plan;
    const all = plan.rows.map((row, index): ResultRow => ({ index, row, writes: () => true }));
    const before = checkBeforeInsert(plan);
    const denied = await this.deny(all, before);
    const rows = denied.size === 0 ? all : all.filter(({ index }) => !denied.has(index));
    if (conflict === 'refuse') return this.conflicts(rows);
    const results = await this.merge(rows, plan, conflict);
    await this.conflicts(results, conflict.on);
    const { created, changed } = restriction ?? {};
    const isNew = ({ own }: ResultRow) => own === undefined;
    if (before === undefined && created !== undefined && isKnownBefore(into, created)) {
      await this.deny(results.filter(isNew), created);
    }
    const existing = results.filter((each) => !isNew(each));
    await this.deny(existing, changed);
  }

  async updateEach({ changes, restriction, among }: UpdateEachPlan): Promise<void> {
    const { into } = this;
    const by = into.key;
    const named = changes.map(({ key: values }, index) => ({ index, values }));
    const met = andAlso(restriction?.met ?? ALWAYS, among ?? ALWAYS);
    const found = await this.lookup(into, by, named, this.compared(restriction), met);
    const results = await this.each(named, ({ index, values }) => {
      const match = found.get(index);
      if (values.includes(null)) return [];
      if (match?.isMet !== true) {
        this.report((among === undefined ? missingRow : notInFilter)(into, values as readonly Value[], index));
        return [];
      }
      const set = new Map(changes[index]!.set.map(({ field, value }) => [field, value]));
      for (const [field, value] of set) {
        if (value === null && field.required) this.fail(index, nullViolation(into, field));
      }
      return [
        this.changed(
          index,
          match.row,
          (field) => set.has(field),
          (field) => set.get(field),
        ),
      ];
    });
    await this.conflicts(results);
    await this.deny(results, restriction?.changed);
  }

  /** The rows that an upsert stores. A row that is ignored as a duplicate cannot conflict. */
  private async merge(
    rows: readonly ResultRow[],
    { restriction }: InsertPlan,
    { on, overwrite }: Exclude<InsertPlan['conflict'], 'refuse'>,
  ): Promise<readonly ResultRow[]> {
    const { into } = this;
    const isMerge = overwrite.length > 0;
    const given = this.valuesIn(rows, on);
    const found = await this.lookup(into, on, given, this.compared(restriction), restriction?.met);
    const byIndex = new Map(given.map(({ index, values }) => [index, textOf(on, values)]));
    const seen = new Set<string>();
    return this.each(rows, (each) => {
      const { index, row } = each;
      const match = found.get(index);
      const text = byIndex.get(index);
      const isRepeated = text !== undefined && seen.has(text);
      if (text !== undefined) seen.add(text);
      if (match === undefined) return isRepeated && !isMerge ? [] : [each];
      if (!isMerge) return [];
      if (!match.isMet) {
        this.report(rowDenied(into.name).with({ index }));
        return [];
      }
      const isOverwritten = (field: Field) => overwrite.includes(field);
      return [this.changed(index, match.row, isOverwritten, (field) => row[into.fields.indexOf(field)])];
    });
  }

  /** The fields of a stored row that a change of others may bring into conflict. */
  private compared(restriction: Restriction | undefined): readonly Field[] {
    const { fields, key, unique } = this.into;
    return restriction === undefined ? [...new Set([...key, ...unique.flatMap((set) => set.fields)])] : fields;
  }

  private changed(
    index: number,
    stored: Row,
    writes: (field: Field) => boolean,
    value: (field: Field) => Value | undefined,
  ): ResultRow {
    const row = this.into.fields.map((field) => (writes(field) ? value(field) : storedValue(field, stored)));
    return { index, row, own: keyText(this.into, stored), writes };
  }

  /** `on` are the fields of a conflict that is no error. */
  private async conflicts(rows: readonly ResultRow[], on?: readonly Field[]): Promise<void> {
    const { key, unique, references } = this.into;
    for (const set of [key, ...unique.map(({ fields }) => fields)]) if (set !== on) await this.uniqueIn(rows, set);
    for (const reference of references) await this.referencesIn(rows, reference);
  }

  /**
   * Rows are stored in order. A stored row that an earlier row of the body changes has released its values; an earlier
   * row that takes them conflicts itself.
   */
  private async uniqueIn(rows: readonly ResultRow[], set: readonly Field[]): Promise<void> {
    const { into } = this;
    const writing = rows.filter(({ writes }) => set.some(writes));
    const given = this.valuesIn(writing, set);
    const taken = await this.lookup(into, set, given, into.key);
    const changedBy = new Map(writing.flatMap(({ own, index }) => (own === undefined ? [] : [[own, index] as const])));
    const ownOf = new Map(writing.map(({ own, index }) => [index, own]));
    const seen = new Set<string>();
    await this.each(given, ({ index, values }) => {
      const match = taken.get(index);
      const holder = match && keyText(into, match.row);
      const isHeld = holder !== undefined && holder !== ownOf.get(index) && !((changedBy.get(holder) ?? index) < index);
      const text = textOf(set, values);
      if (isHeld || seen.has(text)) this.fail(index, duplicateKey(into, set, printValues(set, values)));
      seen.add(text);
      return [];
    });
  }

  /** Rows of the body may refer to each other. */
  private async referencesIn(rows: readonly ResultRow[], reference: Reference): Promise<void> {
    const { into } = this;
    const { field, to } = reference;
    const target = into.among.get(to)!;
    const key = target.key[0]!;
    const given = this.valuesIn(
      rows.filter(({ writes }) => writes(field)),
      [field],
    );
    const found = await this.lookup(target, [{ ...key, type: field.type }], given, []);
    const own = new Set(
      target === into ? this.valuesIn(rows, [key]).map(({ values }) => key.type.print(values[0]!)) : [],
    );
    await this.each(given, ({ index, values: [value] }) => {
      const isMissing = !found.has(index) && !own.has(field.type.print(value!));
      if (isMissing) this.fail(index, missingReference(into, reference, value!));
      return [];
    });
  }

  /** Reports the rows that the role may not write, and returns their indexes. */
  private async deny(rows: readonly ResultRow[], rule: Predicate | undefined): Promise<ReadonlySet<number>> {
    const denied = new Set<number>();
    if (rule === undefined) return denied;
    const { into, source } = this;
    const { fields, name } = into;
    const indexed = rows.map(({ index, row }) => ({ index, values: row }));
    for (const found of await this.ask(into, fields, indexed, (input, bind) => {
      const test = compilePredicate(rule, scopeOf(source.dialect, bind, name));
      return `select ${identifier(ROW_INDEX)} from (select * from ${input}) as ${identifier(name)} where (${test}) is not true`;
    })) {
      const index = Number(found[ROW_INDEX]);
      denied.add(index);
      this.report(rowDenied(name).with({ index }));
    }
    return denied;
  }

  /** The stored rows with the given values, by the index of the input row, with some columns as text. */
  private async lookup(
    collection: Collection,
    fields: readonly Field[],
    rows: readonly Indexed[],
    shown: readonly Field[],
    met: Predicate = ALWAYS,
  ): Promise<ReadonlyMap<number, StoredMatch>> {
    const { dialect } = this.source;
    const table = identifier(collection.name);
    const usable = rows.filter(({ values }) => !values.includes(null));
    const found = await this.ask(collection, fields, usable, (input, bind) => {
      const texts = shown.map(
        ({ name, type }) => `${dialect.text(`${table}.${identifier(name)}`, type)} as ${identifier(name)}`,
      );
      const test = `(${compilePredicate(met, scopeOf(dialect, bind, collection.name))}) is true`;
      const columns = [`${INPUT_ROWS}.${identifier(ROW_INDEX)}`, `${test} as ${identifier(IS_MET)}`, ...texts];
      const same = fields.map(({ name }) => `${table}.${identifier(name)} = ${INPUT_ROWS}.${identifier(name)}`);
      return `select ${columns.join(', ')} from ${input} join ${table} on ${same.join(' and ')}`;
    });
    return new Map(found.map((row) => [Number(row[ROW_INDEX]), { row, isMet: Boolean(row[IS_MET]) }]));
  }

  private async ask(
    collection: Collection,
    fields: readonly Field[],
    rows: readonly Indexed[],
    select: (input: string, bind: Bind) => string,
  ): Promise<readonly Row[]> {
    const { source } = this;
    const columns = [{ ...fields[0]!, name: ROW_INDEX, type: builtIn('int4') }, ...fields];
    const found: Row[] = [];
    for (let from = 0; from < rows.length; from += ROWS_PER_SLICE) {
      const slice = rows.slice(from, from + ROWS_PER_SLICE).map(({ index, values }) => [index, ...values]);
      const statement = buildStatement(source.dialect, (bind) =>
        select(source.input(collection, columns, slice, bind), bind),
      );
      found.push(...(await source.query(statement)));
    }
    return found;
  }

  /** The values of some fields, without rows that lack one. Null equals nothing. */
  private valuesIn(rows: readonly ResultRow[], fields: readonly Field[]): Indexed[] {
    return rows.flatMap(({ index, row }) => {
      const values = valuesOf(this.into, fields, row);
      return values === undefined || values.includes(null) ? [] : [{ index, values }];
    });
  }

  private async each<In, Out>(items: readonly In[], make: (item: In) => readonly Out[]): Promise<readonly Out[]> {
    return (await schedule(mapInSlices(items, make))).flat();
  }

  private fail(index: number, error: ApiError): void {
    this.report(withRowIndex(error, index, this.isList));
  }
}

/** Undefined if the value was not read. */
function storedValue({ name, type }: Field, stored: Row): Value | undefined {
  const text: Value | undefined = stored[name];
  return text === null || text === undefined ? text : type.read(String(text));
}

function keyText({ key }: Collection, stored: Row): string {
  return JSON.stringify(key.map(({ name }) => String(stored[name])));
}

/** Equal for equal values. */
function textOf(fields: readonly Field[], values: RowValues): string {
  return JSON.stringify(fields.map(({ type }, at) => type.key(values[at]!)));
}
