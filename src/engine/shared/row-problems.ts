/**
 * Finds all rows of a body that the stored data rejects: unique values that another row has, references to rows that do
 * not exist, rows that a bulk update does not find, and rows that the role may not write. The write itself decides
 * whether a request succeeds.
 */
import { mapInSlices, schedule } from '../../base/cooperative.ts';
import { attempt, type Report } from '../../base/error-list.ts';
import type { ApiError } from '../../base/errors.ts';
import { rowDenied } from '../../collection/access/permission-errors.ts';
import {
  allReferences,
  type Collection,
  type Composite,
  type Field,
  fieldsOf,
  type Reference,
  uniqueSets,
} from '../../collection/declaration.ts';
import type { Row, Value } from '../../collection/value.ts';
import { andAlso } from '../../plan/access/permissions.ts';
import { valuesOf } from '../../plan/keys.ts';
import {
  ALWAYS,
  assignedValue,
  type InsertPlan,
  type Predicate,
  type Restriction,
  type UpdateEachPlan,
  type WritePlan,
} from '../../plan/types.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import { checkBeforeInsert, lateRules, withoutLateRules } from './plan-keys.ts';
import { type InputRow, RowLookup, type RowSource, type RowValues } from './row-lookup.ts';
import { checkMissing, duplicateKey, missingReference, printValues, withRowIndex } from './write-checks.ts';

/** A row as the write would leave it. */
interface ResultRow {
  readonly index: number;
  /** In field order; undefined if the value is unknown. */
  readonly row: RowValues;
  /** The key of the stored row that it changes. */
  readonly own?: string;
  readonly writes: (field: Field) => boolean;
}

export async function reportProblems(plan: WritePlan, source: RowSource, report: Report): Promise<void> {
  const lookup = new RowLookup(source);
  if (plan.kind === 'insert') await new RowCheck(plan.into, lookup, report, plan.rows.length > 1).insert(plan);
  if (plan.kind === 'update-each') await new RowCheck(plan.into, lookup, report, true).updateEach(plan);
}

class RowCheck {
  constructor(
    private readonly into: Collection,
    private readonly lookup: RowLookup,
    private readonly report: Report,
    /** Whether details number the rows. */
    private readonly isList: boolean,
  ) {}

  async insert(plan: InsertPlan): Promise<void> {
    const { conflict } = plan;
    const { restriction } = lateRules(plan) === undefined ? plan : withoutLateRules(plan);
    const all = plan.rows.map((row, index): ResultRow => ({ index, row, writes: () => true }));
    const before = checkBeforeInsert(plan);
    // Conflicts of a row that the role may not store stay hidden.
    const denied = await this.deny(all, before);
    const allowed = denied.size === 0 ? all : all.filter(({ index }) => !denied.has(index));
    const results = conflict === 'refuse' ? allowed : await this.merge(allowed, conflict, restriction);
    await this.conflicts(results, conflict === 'refuse' ? undefined : conflict.on);
    const isNew = ({ own }: ResultRow) => own === undefined;
    if (before === undefined) await this.deny(results.filter(isNew), restriction?.created);
    await this.deny(
      results.filter((each) => !isNew(each)),
      restriction?.changed,
    );
  }

  async updateEach(plan: UpdateEachPlan): Promise<void> {
    const { into, by, changes, among } = plan;
    const { restriction } = lateRules(plan) === undefined ? plan : withoutLateRules(plan);
    const named = changes.map(({ key: values }, index) => ({ index, values }));
    const met = andAlso(restriction?.met ?? ALWAYS, among ?? ALWAYS);
    const found = await this.lookup.matches(into, by, named, this.compared(restriction), met);
    const results = await this.each(named, ({ index, values: key }) => {
      const match = found.get(index);
      // The key could not be read.
      if (key.includes(null)) return [];
      if (match?.isMet !== true) {
        attempt(this.report, () => checkMissing(plan, [{ key, index }]));
        return [];
      }
      const set = new Map(changes[index]!.set.map((each) => [each.field, assignedValue(each)]));
      for (const [field, value] of set) {
        if (value === null && field.required) this.fail(index, nullViolation(into, field));
      }
      const isSet = (field: Field) => set.has(field);
      return [this.changed(index, match.row, isSet, (field) => set.get(field))];
    });
    const denied = await this.deny(results, restriction?.changed);
    await this.conflicts(results.filter(({ index }) => !denied.has(index)));
  }

  /** The rows that an upsert stores. A row that is ignored as a duplicate cannot conflict. */
  private async merge(
    rows: readonly ResultRow[],
    { on, overwrite }: Exclude<InsertPlan['conflict'], 'refuse'>,
    restriction: Restriction | undefined,
  ): Promise<readonly ResultRow[]> {
    const { into } = this;
    const isMerge = overwrite.length > 0;
    const given = this.valuesIn(rows, on);
    const found = await this.lookup.matches(into, on, given, this.compared(restriction), restriction?.met);
    const texts = new Map(given.map(({ index, values }) => [index, textOf(on, values)]));
    const seen = new Set<string>();
    return this.each(rows, (each) => {
      const { index, row } = each;
      const match = found.get(index);
      const text = texts.get(index);
      const isRepeated = text !== undefined && seen.has(text);
      if (text !== undefined) seen.add(text);
      if (match === undefined) return isRepeated && !isMerge ? [] : [each];
      if (isMerge && match.isMet) {
        const isOverwritten = (field: Field) => overwrite.includes(field);
        return [this.changed(index, match.row, isOverwritten, (field) => row[into.fields.indexOf(field)])];
      }
      if (isMerge) this.report(rowDenied(into.name).with({ index }));
      return [];
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

  /** `on` are the fields of a conflict that is not an error. */
  private async conflicts(rows: readonly ResultRow[], on?: readonly Field[]): Promise<void> {
    for (const set of uniqueSets(this.into)) if (set !== on) await this.uniqueIn(rows, set);
    for (const reference of allReferences(this.into)) await this.referencesIn(rows, reference);
  }

  /**
   * Rows are stored in order. A stored row that an earlier row of the body changes has released its values; if it keeps
   * them, the two rows of the body conflict.
   */
  private async uniqueIn(rows: readonly ResultRow[], set: readonly Field[]): Promise<void> {
    const { into } = this;
    const writing = rows.filter(({ writes }) => set.some(writes));
    const given = this.valuesIn(writing, set);
    const taken = await this.lookup.matches(into, set, given, into.key);
    const changedBy = new Map(writing.flatMap(({ own, index }) => (own === undefined ? [] : [[own, index] as const])));
    const seen = new Set<string>();
    await this.each(given, ({ index, values }) => {
      const match = taken.get(index);
      const holder = match && keyText(into, match.row);
      const isHeld = holder !== undefined && (changedBy.get(holder) ?? Number.POSITIVE_INFINITY) > index;
      const text = textOf(set, values);
      if (isHeld || seen.has(text)) this.fail(index, duplicateKey(into, set, printValues(set, values)));
      seen.add(text);
      return [];
    });
  }

  /** Rows of the body may refer to each other. */
  private async referencesIn(rows: readonly ResultRow[], reference: Reference | Composite): Promise<void> {
    const { into } = this;
    const fields = fieldsOf(reference);
    const target = into.among.get(reference.to)!;
    const { key } = target;
    const writing = rows.filter(({ writes }) => fields.some(writes));
    const given = this.valuesIn(writing, fields);
    const compared = key.map((field, at) => ({ ...field, type: fields[at]!.type }));
    const found = await this.lookup.matches(target, compared, given, []);
    const inBody = target === into ? this.valuesIn(rows, key) : [];
    const print = (some: readonly Field[], values: RowValues) => printValues(some, values as Value[]).join('\0');
    const keys = new Set(inBody.map(({ values }) => print(key, values)));
    await this.each(given, ({ index, values }) => {
      const exists = found.has(index) || keys.has(print(fields, values));
      if (!exists) this.fail(index, missingReference(into, reference, ...(values as Value[])));
      return [];
    });
  }

  /** Reports the rows that the role may not write, and returns their indexes. */
  private async deny(rows: readonly ResultRow[], rule: Predicate | undefined): Promise<ReadonlySet<number>> {
    if (rule === undefined) return new Set();
    const indexed = rows.map(({ index, row }) => ({ index, values: row }));
    const denied = await this.lookup.violations(this.into, indexed, rule);
    for (const index of denied) this.report(rowDenied(this.into.name).with({ index }));
    return new Set(denied);
  }

  /** The values of some fields, without rows that lack one. Null equals nothing. */
  private valuesIn(rows: readonly ResultRow[], fields: readonly Field[]): InputRow[] {
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
