/** Describes the tables of a schema as a declaration with which they can be served unchanged. Read-only. */
import { isAssigned } from '../../../collection/declaration.ts';
import { derivedName } from '../../../collection/derived-name.ts';
import type { FieldDraft } from '../../../collection/draft.ts';
import { OWN_COLLECTIONS } from '../../../collection/own-collections.ts';
import { holdsKeys } from '../../../collection/types/index.ts';
import { can, type Type } from '../../../collection/types/type.ts';
import { RECORD_TABLE, readRecord } from '../../migration/record.ts';
import { indexName, wordTables } from '../../search/index-tables.ts';
import { LOG_TABLE, RETAINED_TABLE } from '../../shared/change-log.ts';
import {
  type DescribedCollection,
  type DescribedDatabase,
  describeTable,
  type ForeignColumn,
  type ForeignTable,
  tableProblem,
  withUniqueNames,
} from '../../shared/describe-table.ts';
import { readDefault } from '../../shared/sql-expressions.ts';
import { ownSearchPath, query, type Runner, type SessionSettings, withOneConnection } from '../driver.ts';
import DEFINITIONS from '../queries/definitions.sql' with { type: 'text' };
import { typeOfAdopted, typeOfColumn } from '../schema/column-type.ts';
import type { FoundColumn, FoundConstraint, FoundOwn, FoundTable } from '../schema/inspect.ts';
import { inspectOwn, inspectTables, RETRY_TABLE, VERSION_TABLE } from '../schema/inspect.ts';
import { parseTarget } from '../url.ts';
import { activeRowSecurity, bypassedRowSecurity } from './adopt.ts';
import { type DescribedFunctions, describeFunctions } from './describe-functions.ts';
import { withLinks } from './view-references.ts';

const OURS = [RETRY_TABLE, VERSION_TABLE, RECORD_TABLE, LOG_TABLE, RETAINED_TABLE, ...OWN_COLLECTIONS.keys()];

export async function describePostgres(url: string, settings: SessionSettings): Promise<DescribedDatabase> {
  const target = parseTarget(url);
  const described = await withOneConnection(target, { ...settings, extraSearchPath: [] }, async (pool) =>
    describeSchema(pool, settings.schema, await inspectOwn(pool, settings.schema)),
  );
  const isEmpty = ({ draft }: DescribedCollection) => draft.fields.length === 0;
  const leftOut = described.collections.filter(isEmpty).map(({ draft }) => `${draft.name}: it has no columns`);
  const served = described.collections.filter((each) => !isEmpty(each));
  // Rows of a declared collection have their whole key, which only people can know of a view.
  const collections = served.map(({ draft: { writes, ...draft }, ...notes }) => {
    return { draft: writes === undefined ? draft : { ...draft, key: [] }, ...notes };
  });
  return {
    ...described,
    collections,
    leftOut: [...described.leftOut, ...leftOut],
    location: `${target.location} (schema ${settings.schema})`,
  };
}

/** Works in a transaction, with the search path of the schema alone. */
export async function inOwnPath<T>(runner: Runner, schema: string, work: () => Promise<T>): Promise<T> {
  try {
    await runner.unsafe(
      `begin isolation level repeatable read read only; set local search_path to ${ownSearchPath(schema)}`,
    );
    return await work();
  } finally {
    await runner.unsafe('rollback');
  }
}

/** A text that changes with every definition in these schemas. */
export async function definitionsIn(runner: Runner, schemas: readonly string[]): Promise<string> {
  const params = [JSON.stringify(schemas)];
  const [found] = await query<{ definitions: string | null }>(runner, { sql: DEFINITIONS, params });
  return found?.definitions ?? '';
}

export async function describeSchema(
  runner: Runner,
  schema: string,
  { record }: FoundOwn,
): Promise<Omit<DescribedDatabase, 'location'>> {
  const own = record === null ? [] : readRecord(record);
  const relations = [...(await inspectTables(runner, schema)).values()];
  const ours = new Set([
    ...OURS,
    ...own.map(({ name }) => name),
    ...relations.flatMap(({ name }) => Object.values(wordTables(indexName(name)))),
  ]);
  const tables = relations.filter(({ name }) => !ours.has(name));
  const problems = tables.flatMap((table) => problemOf(table) ?? []);
  const declared = tables.filter((table) => problemOf(table) === undefined);
  const described = declared.map((table) => {
    const { draft, ...notes } = describeTable(new Inspection(table, schema, declared).table());
    return { draft: table.writes === null ? draft : { ...draft, writes: table.writes }, ...notes };
  });
  const served = [...own, ...declared].map(({ name }) => name);
  const { functions, computed, leftOut } = await describeFunctions(runner, schema, served);
  return {
    functions,
    warning: (await bypassedRowSecurity(runner, schema, served)) ?? (await activeRowSecurity(runner, schema)),
    collections: withUniqueNames([
      ...own.map((draft) => ({ draft, notes: [], fieldNotes: new Map() })),
      ...(await withLinks(runner, schema, described)).map((each) => withComputed(each, computed)),
    ]),
    leftOut: [...problems, ...leftOut],
  };
}

/** A column takes precedence over a function of its name. */
function withComputed(
  { draft, ...notes }: DescribedCollection,
  computed: DescribedFunctions['computed'],
): DescribedCollection {
  const isField = (name: string) => draft.fields.some((field) => field.name === name);
  const own = (computed.get(draft.name) ?? []).filter(({ name }) => !isField(name));
  return { draft: own.length === 0 ? draft : { ...draft, computed: own }, ...notes };
}

function problemOf(table: FoundTable): string | undefined {
  return tableProblem({ ...table, key: keyOf(table) });
}

/** The primary key, or the first unique set of non-null fields; empty if there is none that fits into a URL. */
function keyOf({ columns, constraints, indexes }: FoundTable): readonly string[] {
  const columnOf = (name: string) => columns.find((column) => column.name === name)!;
  const isKey = (names: readonly string[]) =>
    names.every((name) => {
      const type = typeOfColumn(columnOf(name).type)?.type;
      return type === undefined || !(can(type, 'json') || can(type, 'array'));
    });
  const primary = constraints.find(({ kind }) => kind === 'primary key')?.columns;
  const unique = indexes.find(
    (index) => index.isUnique && index.isWhole && index.columns?.every((name) => columnOf(name).required),
  )?.columns;
  return [primary, unique].find((names) => names != null && isKey(names)) ?? [];
}

class Inspection {
  private readonly key: readonly string[];

  constructor(
    private readonly found: FoundTable,
    private readonly schema: string,
    private readonly declared: readonly FoundTable[],
  ) {
    this.key = keyOf(found);
  }

  table(): ForeignTable {
    const { name, comment, columns, indexes, constraints } = this.found;
    return {
      name,
      description: comment ?? undefined,
      key: this.key,
      columns: columns.map((column) => this.column(column)),
      indexes: indexes.flatMap(({ isUnique, isWhole, columns: names }) =>
        isWhole && names !== null ? [{ isUnique, columns: names }] : [],
      ),
      checks: constraints
        .filter(({ kind }) => kind === 'check' || kind === 'other')
        .map((check) => ({ definition: check.definition, note: `${check.name}: ${check.definition}` })),
    };
  }

  private column(column: FoundColumn): ForeignColumn {
    const { name, required, isComputed } = column;
    const isDemanded = required && !isComputed && column.default === null && column.identity === null;
    const notes: string[] = [];
    const { type } = typeOfAdopted(column.domain ?? column.type);
    const ifLeftOut = isDemanded ? ', and rows cannot be inserted without it' : '';
    const description = column.comment ?? undefined;
    const common = { name, type, required, notes, ifLeftOut, description };
    if (isComputed) {
      if (column.default !== null) notes.push(`computed: ${column.default}`);
      if (isDemanded) notes.push('required: rows cannot be inserted here, unless a trigger fills it in');
      return { ...common, readOnly: true, default: {} };
    }
    const references = this.referenceOf(name, type, notes);
    const draft: FieldDraft = { name, type: type.name, ...(references === undefined ? {} : { references }) };
    const isNumbered = isAssigned({ key: this.key, fields: [draft] }, { name, type });
    const oneOf = column.labels === null ? {} : { oneOf: column.labels };
    return { ...common, references, ...oneOf, default: this.defaultOf(column, type, isNumbered, notes) };
  }

  /** An assigned key declares no default. */
  private defaultOf(
    { name, required, default: value, sequence }: FoundColumn,
    type: Type,
    isNumbered: boolean,
    notes: string[],
  ): ForeignColumn['default'] {
    if (sequence !== null) return isNumbered ? {} : { filled: true };
    if (value === null) {
      if (!required || !this.found.hasInsertTrigger || this.key.includes(name)) return {};
      notes.push('a trigger may fill it in');
      return { filled: 'trigger' };
    }
    const defaultDraft = isNumbered ? undefined : readDefault(value, type);
    if (defaultDraft !== undefined) return defaultDraft;
    notes.push(`filled in by the database: ${value}`);
    return { filled: true };
  }

  private referenceOf(name: string, type: Type, notes: string[]): FieldDraft['references'] {
    const keys = this.found.constraints.filter(({ kind, columns }) => kind === 'foreign key' && columns.includes(name));
    const single = keys.filter((key) => !this.isComposite(key));
    const targets = single.map((key) => ({ key, to: this.targetOf(key, type) }));
    notes.push(...targets.flatMap(({ key, to }) => (to === undefined ? [inSmallLetters(key.definition)] : [])));
    return targets.find(({ to }) => to !== undefined)?.to;
  }

  /** Whether it becomes a reference of the collection. */
  private isComposite({ columns, to }: FoundConstraint): boolean {
    const table = this.declared.find((each) => each.name === to?.table && to.schema === this.schema);
    return columns.length > 1 && table !== undefined && keyOf(table).every((name) => to!.columns.includes(name));
  }

  private targetOf({ name, columns, to }: FoundConstraint, type: Type): FieldDraft['references'] {
    if (columns.length !== 1 || to === null || to.schema !== this.schema || to.onDelete === null) return undefined;
    const table = this.declared.find((each) => each.name === to.table);
    const key = table === undefined ? [] : keyOf(table);
    const keyColumn = key.length === 1 ? table!.columns.find((column) => column.name === key[0]) : undefined;
    const keyType = keyColumn === undefined ? undefined : typeOfColumn(keyColumn.domain ?? keyColumn.type)?.type;
    if (keyType === undefined || to.columns[0] !== key[0] || !holdsKeys(type, keyType)) return undefined;
    const isUsual = name === derivedName(this.found.name, columns[0]!, 'fkey');
    return { collection: to.table, onDelete: to.onDelete, ...(isUsual ? {} : { constraint: name }) };
  }
}

/** Except quoted names. */
function inSmallLetters(sql: string): string {
  return sql.replace(/"[^"]*"|[^"]+/g, (part) => (part.startsWith('"') ? part : part.toLowerCase()));
}
