/** Foreign tables described as a declaration, with notes on what it cannot express. */
import { derivedName } from '../../collection/derived-name.ts';
import type { CollectionDraft, FieldDraft, FunctionDraft } from '../../collection/draft.ts';
import type { Notes } from '../../declare/writer/write.ts';

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
