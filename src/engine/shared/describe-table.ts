/** Describes a foreign table as a declared collection, from what an engine found out about it. */
import { defined } from '../../base/defined.ts';
import { derivedName } from '../../collection/derived-name.ts';
import type { CollectionDraft, FieldDraft, FunctionDraft } from '../../collection/draft.ts';
import { typeNamed } from '../../collection/types/index.ts';
import type { Type } from '../../collection/types/type.ts';
import { nameProblem } from '../../declare/names.ts';
import type { Notes } from '../../declare/writer/write.ts';
import { readCheck } from './sql-expressions.ts';

export interface ForeignTable {
  readonly name: string;
  readonly description?: string | undefined;
  readonly key: readonly string[];
  readonly columns: readonly ForeignColumn[];
  /** Indexes of all rows on columns; an index of the key is optional. */
  readonly indexes: readonly { readonly isUnique: boolean; readonly columns: readonly string[] }[];
  /** Constraints in SQL, and the notes for those that no field can express. */
  readonly checks: readonly { readonly definition: string; readonly note: string }[];
}

export interface ForeignColumn {
  readonly name: string;
  readonly description?: string | undefined;
  /** Undefined if it cannot be a field. */
  readonly type: Type | undefined;
  readonly required: boolean;
  /** The service cannot write it. */
  readonly readOnly?: boolean;
  readonly default: Pick<FieldDraft, 'default' | 'filled'>;
  readonly references?: FieldDraft['references'];
  /** The values of an enum, in its order. */
  readonly oneOf?: readonly string[];
  readonly notes: readonly string[];
  /** An addition to the note that the column is left out. */
  readonly ifLeftOut?: string;
}

interface NamedTable extends Pick<ForeignTable, 'name' | 'key'> {
  readonly columns: readonly { readonly name: string }[];
}

export function tableProblem({ name, key, columns }: NamedTable): string | undefined {
  const problem = nameProblem('collection', name);
  if (problem !== undefined) return `${name}: ${problem}`;
  const [first] = columns;
  if (first !== undefined && columns.every((column) => nameProblem('field', column.name) !== undefined))
    return `${name}: no column can be a field; ${first.name}: ${nameProblem('field', first.name)}`;
  const problems = key.map((column) => nameProblem('field', column));
  const at = problems.findIndex((each) => each !== undefined);
  return at === -1 ? undefined : `${name}: its key has the column ${key[at]}; ${problems[at]}`;
}

export function describeTable(table: ForeignTable): DescribedCollection {
  const { name, description, key, columns, checks } = table;
  const notes: string[] = [];
  const fields = columns.flatMap((column) => {
    const { type, ifLeftOut = '' } = column;
    const problem = nameProblem('field', column.name);
    if (problem === undefined && type !== undefined) return describeField(table, column, type);
    notes.push(`the column ${column.name} is left out: ${problem ?? 'it holds bytes that are not text'}${ifLeftOut}`);
    return [];
  });
  const isExpressed = ({ definition }: ForeignTable['checks'][number]) =>
    fields.some((field) => !field.readOnly && readCheck(definition, field.name, typeNamed(field.type)!) !== undefined);
  notes.push(...checks.filter((check) => !isExpressed(check)).map(({ note }) => note));
  const unique = uniqueSets(table, fields);
  const noted = columns.filter((column) => column.notes.length > 0);
  return {
    draft: { name, ...defined({ description }), key, fields, ...(unique.length === 0 ? {} : { unique }) },
    notes,
    fieldNotes: new Map(noted.map((column) => [column.name, column.notes.join('; ')])),
  };
}

function describeField({ key, indexes, checks }: ForeignTable, column: ForeignColumn, type: Type): FieldDraft {
  const { name, description, required, readOnly = false, references } = column;
  if (readOnly) return { name, type: type.name, ...defined({ description }), readOnly };
  const isKey = key.includes(name);
  const isUnique = indexes.some((index) => index.isUnique && index.columns.join() === name);
  return {
    name,
    type: type.name,
    ...defined({ description }),
    ...(required && !isKey ? { required } : {}),
    ...column.default,
    ...(isUnique && !(isKey && key.length === 1) ? { unique: true } : {}),
    ...(indexes.some((index) => !index.isUnique && index.columns[0] === name) ? { indexed: true } : {}),
    ...defined({ references, oneOf: column.oneOf }),
    ...Object.assign({}, ...checks.map(({ definition }) => readCheck(definition, name, type) ?? {})),
  };
}

function uniqueSets({ key, indexes }: ForeignTable, fields: readonly FieldDraft[]): (readonly string[])[] {
  const isField = (name: string) => fields.some((field) => field.name === name);
  const isKey = (names: readonly string[]) => [...names].sort().join() === [...key].sort().join();
  const sets = indexes.filter(
    ({ isUnique, columns }) => isUnique && columns.length > 1 && columns.every(isField) && !isKey(columns),
  );
  return [...new Map(sets.map(({ columns }) => [columns.join(), columns])).values()];
}

/** Foreign tables described as a declaration, with notes on what it cannot express. */
export interface DescribedCollection extends Notes {
  readonly draft: CollectionDraft;
}

export interface DescribedDatabase {
  /** For messages; without secrets. */
  readonly location: string;
  readonly collections: readonly DescribedCollection[];
  /** Functions that can be called. */
  readonly functions?: readonly FunctionDraft[];
  /** Tables that cannot be declared, with reasons. */
  readonly leftOut: readonly string[];
  /** A warning about the connection that the tables were described with. */
  readonly warning?: string | undefined;
}

/**
 * Removes properties whose index or constraint would have a name that is taken, as in a declaration. A note
 * says so; the table keeps the index or constraint itself.
 */
export function withUniqueNames(collections: readonly DescribedCollection[]): DescribedCollection[] {
  const schema = new Set(
    collections.flatMap(({ draft: { name, key } }) => (key.length === 0 ? [name] : [name, derivedName(name, 'pkey')])),
  );
  return collections.map(({ draft, notes, fieldNotes }) => {
    // Names of constraints are unique in a table; those of tables, indexes and unique constraints in the schema.
    const table = new Set([derivedName(draft.name, 'pkey')]);
    const allFieldNotes = new Map(fieldNotes);
    const removedGroups: string[] = [];
    const fields = draft.fields.map((field) => {
      const uniqueDraft = withUniqueFieldNames(draft, field, schema, table);
      const removed = Object.keys(field).filter((property) => !(property in uniqueDraft));
      if (removed.length > 0) {
        const before = fieldNotes.get(field.name);
        allFieldNotes.set(field.name, `${before === undefined ? '' : `${before}; `}also ${removed.join(', ')}`);
      }
      return uniqueDraft;
    });
    const unique = (draft.unique ?? []).filter((group) => {
      if (claim(derivedName(draft.name, ...group, 'key'), schema, table)) return true;
      removedGroups.push(`unique: ${group.join(', ')}`);
      return false;
    });
    const { unique: _, ...rest } = draft;
    return {
      draft: { ...rest, fields, ...(unique.length === 0 ? {} : { unique }) },
      notes: [...notes, ...removedGroups],
      fieldNotes: allFieldNotes,
    };
  });
}

/** Takes a name in all of these namespaces; false if it is taken in one of them. */
function claim(name: string, ...namespaces: readonly Set<string>[]): boolean {
  if (namespaces.some((each) => each.has(name))) return false;
  for (const each of namespaces) each.add(name);
  return true;
}

function withUniqueFieldNames(
  { name, key }: CollectionDraft,
  field: FieldDraft,
  schema: Set<string>,
  table: Set<string>,
): FieldDraft {
  const { unique, indexed, references, minimum, maximum, maxLength, pattern, oneOf, ...rest } = field;
  const named = (...suffix: readonly string[]) => derivedName(name, field.name, ...suffix);
  const rules = { minimum, maximum, maxLength, pattern, oneOf };
  const givenRules = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined));
  const constraint = references?.constraint;
  // A reference also has an index, unless the key begins with its field.
  const hasIndex = indexed === true || (references !== undefined && key[0] !== field.name);
  const canIndex = !hasIndex || claim(named(), schema);
  const hasConstraintName = constraint !== undefined && claim(constraint, table);
  const canRefer = references !== undefined && canIndex && (hasConstraintName || claim(named('fkey'), table));
  const { constraint: _, ...withoutName } = references ?? {};
  return {
    ...rest,
    ...(unique === true && claim(named('key'), schema, table) ? { unique } : {}),
    ...(indexed === true && canIndex ? { indexed } : {}),
    ...(canRefer ? { references: hasConstraintName ? references : (withoutName as typeof references) } : {}),
    ...(Object.keys(givenRules).length > 0 && claim(named('check'), table) ? givenRules : {}),
  };
}
