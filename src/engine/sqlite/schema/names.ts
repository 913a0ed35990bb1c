/** Names that SQLite cannot distinguish or uses itself, although PostgreSQL allows them. */
import { type Sentence, say, type Wording } from '../../../base/sentence.ts';
import type { Catalogue, Collection } from '../../../collection/declaration.ts';
import type { Problem } from '../../migration/risks.ts';
import { indexesOf } from './schema.ts';

const RESERVED_TABLES: readonly (readonly [RegExp, Sentence])[] = [
  [/^sqlite_/, say`a name of SQLite's own tables`],
  [/^pragma_/, say`a name of SQLite's own functions`],
  [/^json_(each|tree)$/, say`a function of SQLite`],
  [/^old$/, say`the name of the old row in triggers`],
  [/^_.*_search(_\w+)?$/, say`a name of search indexes`],
];
const RESERVED_COLUMNS: Readonly<Record<string, Sentence>> = {
  rowid: say`the number of a row`,
  _rowid_: say`the number of a row`,
  true: say`a value, even in quotes,`,
  false: say`a value, even in quotes,`,
};

export function sqliteNameProblems({ collections }: Catalogue): Problem[] {
  const all = [...collections.values()];
  const tables = [...all.map(({ name }) => name), ...all.flatMap((each) => indexesOf(each).map(({ name }) => name))];
  return [...sameNames(tables, ''), ...all.flatMap(collectionProblems)];
}

function collectionProblems({ name, fields }: Collection): Problem[] {
  const reason = RESERVED_TABLES.find(([pattern]) => pattern.test(lower(name)))?.[1];
  const names = fields.map((field) => field.name);
  return [
    ...(reason === undefined ? [] : [say`${name} is ${reason} on SQLite. Choose another name`]),
    ...fields.flatMap((field) => {
      const use = Object.hasOwn(RESERVED_COLUMNS, lower(field.name)) ? RESERVED_COLUMNS[lower(field.name)] : undefined;
      return use === undefined ? [] : [say`${`${name}.${field.name}`} is ${use} on SQLite. Choose another name`];
    }),
    ...sameNames(names, say` of ${name}`),
  ];
}

function sameNames(names: readonly string[], of: Wording): Problem[] {
  const byName = new Map<string, string>();
  return names.flatMap((name) => {
    const other = byName.get(lower(name));
    byName.set(lower(name), name);
    if (other === undefined) return [];
    return [say`${other} and ${name}${of} differ only in case, which SQLite ignores in names. Rename one of them`];
  });
}

/** SQLite ignores the case of ASCII letters only. */
function lower(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
