/** Compares a schema with the declaration: our own tables and their content, and adopted tables. */
import { type Catalogue, type Collection, declareCatalogue } from '../../../collection/declaration.ts';
import type { FieldDraft } from '../../../collection/draft.ts';
import { type StoredSchema, withNumberedKeys } from '../../migration/changes.ts';
import type { FirstRows } from '../../migration/question.ts';
import { RECORD_TABLE, readRecord } from '../../migration/record.ts';
import type { Problem } from '../../migration/risks.ts';
import { storedDraft } from '../../migration/stored-draft.ts';
import type { Creation } from '../../shared/loader.ts';
import { adoptionProblems } from '../adopt/adopt.ts';
import type { Runner } from '../driver.ts';
import { typeOfColumn } from './column-type.ts';
import {
  type FoundColumn,
  type FoundOwn,
  type FoundTable,
  type FoundTables,
  inspectOwn,
  inspectTables,
} from './inspect.ts';

export interface PostgresRequirement {
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly firstRows: FirstRows;
  /**
   * Permitted data loss, in the syntax of `--allow`. Set for an explicit migration: then our own tables are created
   * even if all collections are adopted.
   */
  readonly allowed?: readonly string[];
  /** For missing tables; by default they are created at once. */
  readonly creation?: Creation;
  /** How long the log of changes is kept; 0 for no log, undefined to leave it as it is. */
  readonly historyDays?: number;
}

export interface Inspection extends FoundOwn {
  readonly found: StoredSchema;
  readonly tables: FoundTables;
  /** Collections whose tables are ours or will be created. */
  readonly own: readonly Collection[];
  readonly adopted: readonly { readonly collection: Collection; readonly table: FoundTable }[];
  /** Tables that do not match. */
  readonly problems: readonly Problem[];
}

export async function inspect(runner: Runner, { schema, catalogue }: PostgresRequirement): Promise<Inspection> {
  const ours = await inspectOwn(runner, schema, RECORD_TABLE);
  const isOurs = ours.record !== null || ours.version !== null;
  const recorded = isOurs ? readRecord(ours.record ?? undefined) : [];
  const declared = [...catalogue.collections.values()];
  const names = [...recorded.map(({ name }) => name), ...declared.map(({ name }) => name)];
  const tables = await inspectTables(runner, schema, names);
  const isRecorded = (name: string) => recorded.some((draft) => draft.name === name);
  const own = declared.filter(({ name }) => isRecorded(name) || !tables.has(name));
  const adopted = declared
    .filter((collection) => !own.includes(collection))
    .map((collection) => ({ collection, table: tables.get(collection.name)! }));
  const drafts = recorded.filter(({ name }) => tables.has(name));
  const there = new Set(drafts.map(({ name }) => name));
  const problems: Problem[] = [];
  const collections = drafts.map((draft) => {
    const { columns } = tables.get(draft.name)!;
    return storedDraft(draft, columns, there, catalogue.collections.get(draft.name), (column, field) => {
      const type = typeOfField(column, field);
      if (type === undefined)
        problems.push({ words: `${draft.name}.${field.name} is ${column.type} now, not ${field.type}` });
      return type ?? field.type;
    });
  });
  return {
    ...ours,
    tables,
    own,
    adopted,
    found: {
      catalogue: withNumberedKeys(declareCatalogue({ collections }), (table, key) =>
        tables.get(table)!.columns.some(({ name, identity }) => name === key.name && identity !== null),
      ),
      names: new Set([...there].flatMap((name) => namesIn(tables.get(name)!))),
    },
    problems: [...problems, ...adopted.flatMap(({ collection, table }) => adoptionProblems(collection, table))],
  };
}

function namesIn({ name: table, constraints, indexes }: FoundTable): string[] {
  return [...constraints, ...indexes].map(({ name }) => `${table}.${name}`);
}

/** Undefined if we have no such type. */
function typeOfField({ type }: FoundColumn, field: FieldDraft): string | undefined {
  // PostgreSQL does not record the digits of an array's elements.
  const isDecimals = type === 'numeric[]' && /^decimal\(.*\)\[\]$/.test(field.type);
  return isDecimals || type === field.type ? field.type : typeOfColumn(type)?.type.name;
}
