/** Describes the tables of a schema as a declaration with which they can be served unchanged. Read-only. */
import { isAssigned } from '../../../collection/declaration.ts';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { OWN_COLLECTIONS } from '../../../collection/own-collections.ts';
import { holdsKeys, isOnlyRead, typeNamed } from '../../../collection/types/index.ts';
import { can, type Type } from '../../../collection/types/type.ts';
import { nameProblem } from '../../../declare/names.ts';
import { RECORD_TABLE, readRecord } from '../../migration/record.ts';
import { type DescribedCollection, type DescribedDatabase, withUniqueNames } from '../../shared/described-tables.ts';
import { type FoundRules, readCheck, readDefault } from '../../shared/sql-expressions.ts';
import type { Runner, SessionSettings } from '../driver.ts';
import { withOneConnection } from '../one-off-connection.ts';
import { typeOfAdopted, typeOfColumn } from '../schema/column-type.ts';
import {
  type FoundColumn,
  type FoundConstraint,
  type FoundTable,
  inspectOwn,
  inspectTables,
  RETRY_TABLE,
  VERSION_TABLE,
} from '../schema/inspect.ts';
import { parseTarget } from '../url.ts';
import { bypassedRowSecurity } from './row-security.ts';

const OURS = [RETRY_TABLE, VERSION_TABLE, RECORD_TABLE, ...OWN_COLLECTIONS.keys()];

/** All tables of a schema as a declaration. */
export async function describePostgres(url: string, settings: SessionSettings): Promise<DescribedDatabase> {
  const target = parseTarget(url);
  const described = await withOneConnection(target, settings, (pool) => describeSchema(pool, settings.schema));
  return { ...described, location: `${target.location} (schema ${settings.schema})` };
}

async function describeSchema(runner: Runner, schema: string): Promise<Omit<DescribedDatabase, 'location'>> {
  const { record } = await inspectOwn(runner, schema, RECORD_TABLE);
  // Our own tables have a recorded declaration.
  const own = record === null ? [] : readRecord(record);
  const found = [...(await inspectTables(runner, schema)).values()];
  const isOurs = (name: string) => OURS.includes(name) || own.some((draft) => draft.name === name);
  const tables = found.filter(({ name, isTable }) => isTable && !isOurs(name));
  const obstacles = tables.flatMap((table) => obstacleOf(table) ?? []);
  const declared = tables.filter((table) => obstacleOf(table) === undefined);
  const served = [...own, ...declared].map(({ name }) => name);
  return {
    warning: await bypassedRowSecurity(runner, schema, served),
    collections: withUniqueNames([
      ...own.map((draft) => ({ draft, notes: [], fieldNotes: new Map() })),
      ...declared.map((table) => new Description(table, schema, declared).describe()),
    ]),
    leftOut: [
      ...obstacles,
      ...found
        .filter(({ isTable }) => !isTable)
        .map(({ name }) => `${name}: it is not a table but a view, or is in another schema`),
    ],
  };
}

/** Why a table cannot be a collection. */
function obstacleOf(table: FoundTable): string | undefined {
  const { name } = table;
  const problem = nameProblem('collection', name);
  if (problem !== undefined) return `${name}: ${problem}`;
  const key = keyOf(table);
  if (key === undefined) return `${name}: it has no primary key`;
  const problems = key.map((column) => nameProblem('field', column) ?? unlikelyKey(table, column));
  const at = problems.findIndex((each) => each !== undefined);
  return at === -1 ? undefined : `${name}: its key has the column ${key[at]}; ${problems[at]}`;
}

/** A key must fit into a URL and order the rows. */
function unlikelyKey({ columns }: FoundTable, name: string): string | undefined {
  const type = typeOfColumn(columns.find((column) => column.name === name)!.type)?.type;
  return type !== undefined && (can(type, 'json') || can(type, 'array')) ? `no key is ${type.name}` : undefined;
}

/** The primary key, or the first unique set of non-null fields. */
function keyOf({ columns, constraints, indexes }: FoundTable): readonly string[] | undefined {
  const primary = constraints.find(({ kind }) => kind === 'primary key');
  if (primary !== undefined) return primary.columns;
  const isRequired = (name: string) => columns.some((column) => column.name === name && column.required);
  const unique = indexes.find(
    ({ isUnique, isWhole, columns: names }) => isUnique && isWhole && names?.every(isRequired),
  );
  return unique?.columns ?? undefined;
}

/** The single key column that others reference. */
function referredKey(table: FoundTable): FoundColumn | undefined {
  const key = keyOf(table) ?? [];
  return key.length === 1 ? table.columns.find(({ name }) => name === key[0]) : undefined;
}

class Description {
  private readonly notes: string[] = [];
  private readonly fieldNotes = new Map<string, string>();
  private readonly key: readonly string[];

  constructor(
    private readonly table: FoundTable,
    private readonly schema: string,
    private readonly declared: readonly FoundTable[],
  ) {
    this.key = keyOf(table)!;
  }

  describe(): DescribedCollection {
    const { name, columns } = this.table;
    const fields = columns.filter((column) => this.canBeField(column)).map((column) => this.field(column));
    const unique = this.uniqueSets(fields);
    const draft: CollectionDraft = { name, key: this.key, fields, ...(unique.length === 0 ? {} : { unique }) };
    this.noteChecks(fields);
    return { draft, notes: this.notes, fieldNotes: this.fieldNotes };
  }

  private canBeField({ name, required, default: value, identity }: FoundColumn): boolean {
    const problem = nameProblem('field', name);
    if (problem === undefined) return true;
    const demands = required && value === null && identity === null ? ', and rows cannot be inserted without it' : '';
    this.notes.push(`the column ${name} is left out: ${problem}${demands}`);
    return false;
  }

  private field(column: FoundColumn): FieldDraft {
    const { name, required, isComputed } = column;
    const found = typeOfAdopted(column.type);
    if (found === undefined || isOnlyRead(found.type) || isComputed) {
      this.note(name, isComputed ? `computed: ${column.default}` : column.type);
      if (required && !isComputed && column.default === null && column.identity === null) {
        this.note(name, 'required: rows cannot be inserted here, unless a trigger fills it in');
      }
      return { name, type: found?.type.name ?? 'text', readOnly: true };
    }
    const { type } = found;
    const isKey = this.key.includes(name);
    const reference = this.referenceOf(name, type);
    const draft: FieldDraft = { name, type: type.name };
    return {
      ...draft,
      ...(required && !isKey ? { required } : {}),
      ...this.defaultOf(
        column,
        type,
        isAssigned({ key: this.key, fields: [{ ...draft, ...reference }] }, { name, type }),
      ),
      ...(this.isUnique(name) ? { unique: true } : {}),
      ...(this.isIndexed(name) ? { indexed: true } : {}),
      ...reference,
      ...this.rulesOf(name, type),
    };
  }

  /** An assigned key declares no default. */
  private defaultOf(
    { name, required, default: value, sequence }: FoundColumn,
    type: Type,
    isNumbered: boolean,
  ): Partial<FieldDraft> {
    if (sequence !== null) return isNumbered ? {} : { filled: true };
    if (value === null) {
      if (!required || !this.table.hasInsertTrigger || this.key.includes(name)) return {};
      this.note(name, 'a trigger may fill it in');
      return { filled: 'trigger' };
    }
    const found = isNumbered ? undefined : readDefault(value, type);
    if (found !== undefined) return found;
    this.note(name, `filled in by the database: ${value}`);
    return { filled: true };
  }

  private isUnique(name: string): boolean {
    const isKey = this.key.length === 1 && this.key[0] === name;
    return !isKey && this.uniqueColumns().some((columns) => columns.length === 1 && columns[0] === name);
  }

  private uniqueSets(fields: readonly FieldDraft[]): string[][] {
    const isField = (name: string) => fields.some((field) => field.name === name);
    const isKey = (names: readonly string[]) => [...names].sort().join() === [...this.key].sort().join();
    const sets = this.uniqueColumns().filter((names) => names.length > 1 && names.every(isField) && !isKey(names));
    return [...new Map(sets.map((names) => [names.join(), [...names]])).values()];
  }

  private uniqueColumns(): (readonly string[])[] {
    return this.table.indexes.flatMap(({ isUnique, isWhole, columns }) =>
      isUnique && isWhole && columns !== null ? [columns] : [],
    );
  }

  private isIndexed(name: string): boolean {
    return this.table.indexes.some(({ isUnique, isWhole, columns }) => !isUnique && isWhole && columns?.[0] === name);
  }

  private referenceOf(name: string, type: Type): Partial<FieldDraft> {
    const keys = this.table.constraints.filter(({ kind, columns }) => kind === 'foreign key' && columns.includes(name));
    const found = keys.flatMap((key) => {
      const to = this.targetOf(key, type);
      if (to === undefined) this.note(name, inSmallLetters(key.definition));
      return to ?? [];
    });
    return found[0] === undefined ? {} : { references: found[0] };
  }

  private targetOf({ name, columns, to }: FoundConstraint, type: Type): FieldDraft['references'] | undefined {
    if (columns.length !== 1 || to === null || to.schema !== this.schema || to.onDelete === null) return undefined;
    const table = this.declared.find((each) => each.name === to.table);
    const key = table === undefined ? undefined : referredKey(table);
    const held = key === undefined ? undefined : typeOfColumn(key.type)?.type;
    if (held === undefined || to.columns[0] !== key?.name || !holdsKeys(type, held)) return undefined;
    const isUsual = name === `${this.table.name}_${columns[0]}_fkey`;
    return { collection: to.table, onDelete: to.onDelete, ...(isUsual ? {} : { constraint: name }) };
  }

  /** The rules of its checks; `noteChecks` reports those that no field can express. */
  private rulesOf(name: string, type: Type): FoundRules {
    const rules = this.checksOf(name).flatMap(({ definition }) => readCheck(definition, name, type) ?? []);
    return Object.assign({}, ...rules);
  }

  private checksOf(name: string): readonly FoundConstraint[] {
    return this.table.constraints.filter(
      ({ kind, columns }) => kind === 'check' && columns.length === 1 && columns[0] === name,
    );
  }

  private noteChecks(fields: readonly FieldDraft[]): void {
    const said = fields.flatMap(({ name, type, readOnly }) =>
      readOnly === true
        ? []
        : this.checksOf(name).filter(({ definition }) => readCheck(definition, name, typeNamed(type)!)),
    );
    for (const constraint of this.table.constraints) {
      const isRule = constraint.kind === 'check' || constraint.kind === 'other';
      if (isRule && !said.includes(constraint)) this.notes.push(`${constraint.name}: ${constraint.definition}`);
    }
  }

  private note(field: string, words: string): void {
    const before = this.fieldNotes.get(field);
    this.fieldNotes.set(field, before === undefined ? words : `${before}; ${words}`);
  }
}

/** Except quoted names. */
function inSmallLetters(sql: string): string {
  return sql.replace(/"[^"]*"|[^"]+/g, (part) => (part.startsWith('"') ? part : part.toLowerCase()));
}
