/**
 * The rows of a body as tables of a statement: as sent, as the write would leave them, and those among them that it
 * stores.
 */
import { mapInSlices, type Task } from '../../base/cooperative.ts';
import type { Collection, Field } from '../../collection/declaration.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Value } from '../../collection/value.ts';
import { fieldsOfPredicate } from '../../plan/access/named-fields.ts';
import { andAlso } from '../../plan/access/permissions.ts';
import { ALWAYS, type Predicate } from '../../plan/types.ts';
import { assignedValue, type InsertPlan, type Restriction, type UpdateEachPlan } from '../../plan/write-plan.ts';
import { compilePredicate } from '../sql/predicate.ts';
import { scopeOf } from '../sql/read.ts';
import { type Bind, buildStatement, identifier, type SqlDialect, type Statement } from '../sql/statement.ts';
import { checkBeforeInsert, lateRules, withoutLateRules } from './plan-keys.ts';

type Column = Pick<Field, 'name' | 'type'>;
type RowValues = readonly (Value | undefined)[];
export type BodyPlan = InsertPlan | UpdateEachPlan;

/** The statements that differ between engines. */
export interface RowSource {
  readonly dialect: SqlDialect;
  /** Rows as JSON, and a table of them; `json` is the bound text. */
  encode(columns: readonly Column[], rows: readonly RowValues[]): Task<string>;
  table(collection: Collection, columns: readonly Column[], json: string): string;
}

const TEXT = builtIn('text');
export const INDEX = '" row index"';

/** The fields that identify a stored row; none if every row is new. */
function matchOf(plan: BodyPlan): readonly Field[] {
  if (plan.kind === 'update-each') return plan.by;
  return plan.conflict === 'refuse' ? [] : plan.conflict.on;
}

/** " written" and " unknown" list positions of fields, such as `,2,,5,`: the database computes unknown values. */
function columnsOf(plan: BodyPlan): readonly Column[] {
  const keys = matchOf(plan).map(({ type }, at) => ({ name: ` key ${at}`, type }));
  const lists = [' written', ' unknown'].map((name) => ({ name, type: TEXT }));
  return [{ name: ' row index', type: builtIn('int4') }, ...lists, ...keys, ...plan.into.fields];
}

export function* encodeBody(plan: BodyPlan, { encode }: Pick<RowSource, 'encode'>): Task<string> {
  const { fields } = plan.into;
  const positions = (test: (field: Field, at: number) => boolean) =>
    fields.map((field, at) => (test(field, at) ? `,${at},` : '')).join('');
  if (plan.kind === 'insert') {
    const match = matchOf(plan);
    const { conflict } = plan;
    const written = positions((field) => conflict !== 'refuse' && conflict.overwrite.includes(field));
    const rows = yield* mapInSlices(plan.rows, (row, index): RowValues => {
      const unknown = positions((_, at) => row[at] === undefined);
      return [index, written, unknown, ...match.map((field) => row[fields.indexOf(field)]), ...row];
    });
    return yield* encode(columnsOf(plan), rows);
  }
  const rows = yield* mapInSlices(plan.changes, ({ key, set }, index): RowValues => {
    const values = new Map(set.map((each) => [each.field, assignedValue(each)]));
    const unknown = positions((field) => values.has(field) && values.get(field) === undefined);
    const written = positions((field) => values.has(field));
    return [index, written, unknown, ...key, ...fields.map((field) => values.get(field))];
  });
  return yield* encode(columnsOf(plan), rows);
}

export const BODY = '" body"';
export const RESULTS = '" results"';
export const STORED = '" stored"';

export class BodyTables {
  readonly table: string;
  /** The fields that identify a stored row; none if every row is new. */
  readonly match: readonly Field[];
  /** The fields by which stored rows differ. */
  readonly own: readonly Field[];
  /** Conditions that find new rows, and those that are stored. */
  readonly isNew: string;
  readonly isStored: string;
  readonly isMerge: boolean;
  /** The rules of the role, without those that are tested after all rows are stored. */
  readonly restriction: Restriction;
  /** The rule for new rows that is tested before all others. */
  readonly before: Predicate | undefined;

  constructor(
    private readonly plan: BodyPlan,
    private readonly source: RowSource,
    private readonly json: string,
  ) {
    this.table = identifier(plan.into.name);
    this.match = matchOf(plan);
    this.own = plan.into.key.length > 0 ? plan.into.key : this.match;
    this.isNew = this.match.length === 0 ? '1=1' : '" own 0" is null';
    this.isMerge = plan.kind === 'insert' && plan.conflict !== 'refuse' && plan.conflict.overwrite.length > 0;
    this.restriction = (lateRules(plan) === undefined ? plan : withoutLateRules(plan)).restriction ?? {};
    this.before = plan.kind === 'insert' ? checkBeforeInsert(plan) : undefined;
    if (plan.kind === 'update-each') this.isStored = `not (${this.isNew}) and " is met"`;
    else if (plan.conflict === 'refuse') this.isStored = '1=1';
    else this.isStored = `${this.isNew} ${this.isMerge ? 'or " is met"' : 'and " is first"'}`;
  }

  /** Builds a statement with the rows of the body as tables. */
  ask(select: (bind: Bind) => string): Statement {
    return buildStatement(this.source.dialect, (bind) => {
      const { plan, source, table, before } = this;
      const { guard = '1=1' } = source.dialect;
      const rows = `(select * from ${source.table(plan.into, columnsOf(plan), bind(this.json, TEXT))} where ${guard}) as ${table}`;
      const isDenied = before === undefined ? '1=0' : this.violates(before, bind);
      const changed = plan.kind === 'update-each' ? this.restriction.changed : undefined;
      const isAllowed = changed === undefined ? '1=1' : `not (${this.violates(changed, bind)})`;
      return `with ${BODY} as materialized (select *, ${isDenied} as " is denied" from ${rows}),
        ${RESULTS} as (${this.results(bind)} where not " is denied"),
        ${STORED} as (select * from ${RESULTS} as ${table} where (${this.isStored}) and ${isAllowed}) ${select(bind)} order by 1`;
    });
  }

  /** Rows with the values of the stored rows that they change. Conflicts of rows that are denied stay hidden. */
  private results(bind: Bind): string {
    const { plan, table, match, own } = this;
    const { into } = plan;
    if (match.length === 0) return `select * from ${BODY}`;
    const { met = ALWAYS } = this.restriction;
    const rule = plan.kind === 'insert' ? met : andAlso(met, plan.among ?? ALWAYS);
    const keys = match.map((_, at) => `given." key ${at}"`);
    const stored = (field: Field) => {
      const column = `${table}.${identifier(field.name)}`;
      return this.source.dialect.column?.(column, field) ?? column;
    };
    const parts = [
      `given.${INDEX}, " written", " unknown"`,
      ...own.map((field, at) => `${stored(field)} as " own ${at}"`),
      `(${compilePredicate(rule, scopeOf(this.source.dialect, bind, into.name))}) is true as " is met"`,
      `(${keys.map((key) => `${key} is null`).join(' or ')} or row_number() over (partition by ${keys.join(', ')} order by given.${INDEX}) = 1) as " is first"`,
      ...into.fields.map((field) => {
        const name = identifier(field.name);
        const isGiven = `${stored(own[0]!)} is null or ${this.isWritten([field])}`;
        return `case when ${isGiven} then given.${name} else ${stored(field)} end as ${name}`;
      }),
    ];
    const isSame = match.map((field, at) => `${stored(field)} = ${keys[at]}`).join(' and ');
    return `select ${parts.join(', ')} from ${BODY} as given left join ${table} on ${isSame}`;
  }

  private isWritten(fields: readonly Field[]): string {
    const tests = fields.map((field) => `" written" like '%,${this.plan.into.fields.indexOf(field)},%'`);
    return `(${tests.join(' or ')})`;
  }

  writes(fields: readonly Field[]): string {
    return this.match.length === 0 ? this.isNew : `(${this.isNew} or ${this.isWritten(fields)})`;
  }

  /** Values that the database computes are not tested. */
  violates(rule: Predicate, bind: Bind): string {
    const { into } = this.plan;
    const tested = [...fieldsOfPredicate(into, rule)].map((field) => into.fields.indexOf(field));
    const known = tested.map((at) => ` and " unknown" not like '%,${at},%'`).join('');
    return `(${compilePredicate(rule, scopeOf(this.source.dialect, bind, into.name))}) is not true${known}`;
  }
}
