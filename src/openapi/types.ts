/** TypeScript types of the catalogue, in the form that `@supabase/postgrest-js` reads: `PostgrestClient<Database>`. */
import type { Catalogue, Collection, Field, Reference } from '../collection/declaration.ts';
import { isUnique } from '../collection/relations.ts';
import { can, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { descriptionOf, isGiven } from './schemas.ts';

/** The client's types depend on it: version 13 added spreads of lists and `maxAffected`. */
const POSTGREST_VERSION = '14';

export function typeScriptTypes({ collections }: Catalogue): string {
  const all = [...collections.values()];
  return `/** The types of the catalogue, for clients: \`createClient<Database>\`. Made by \`catalogue types\`; do not edit. */
${declarations(all)}export type Database = {
  __InternalSupabase: {
    PostgrestVersion: '${POSTGREST_VERSION}';
  };
  public: {
    Tables: {
${all.map(table).join('\n')}
    };
    Views: Record<never, never>;
    Functions: Record<never, never>;
    Enums: Record<never, never>;
    CompositeTypes: Record<never, never>;
  };
};
`;
}

/** The declarations that the types of the fields need, once each. */
function declarations(collections: readonly Collection[]): string {
  const needed = collections.flatMap(({ fields }) => fields.flatMap(({ type }) => type.declares ?? []));
  return [...new Set(needed)].map((each) => `${each}\n\n`).join('');
}

function table(collection: Collection): string {
  const writable = collection.fields.filter(({ readOnly }) => !readOnly);
  return `${comment(6, collection.description ?? collection.title)}      ${collection.name}: {
        Row: {
${members(collection.fields, () => false)}
        };
        /** Optional fields take their default, or null. */
        Insert: {
${members(writable, (field) => !isGiven(collection, field))}
        };
        Update: {
${members(writable, () => true)}
        };
        Relationships: [${relationships(collection)}];
      };`;
}

function members(fields: readonly Field[], isOptional: (field: Field) => boolean): string {
  return fields
    .map((field) => {
      const name = `${field.name}${isOptional(field) ? '?' : ''}`;
      return `${comment(10, descriptionOf(field))}${' '.repeat(10)}${name}: ${readType(field)};`;
    })
    .join('\n');
}

function comment(indent: number, text = ''): string {
  return text === '' ? '' : `${' '.repeat(indent)}/** ${text.replaceAll('*/', '* /')} */\n`;
}

function readType({ type, rules: { oneOf }, required }: Field): string {
  const isLiteral = type.typescript === 'number' || can(type, 'text');
  const values =
    oneOf === undefined || !isLiteral ? type.typescript : oneOf.map((value) => literal(type, value)).join(' | ');
  return required ? values : `${values} | null`;
}

/** JSON is TypeScript; only the quotes differ. */
function literal(type: Type, value: Value): string {
  const text = type.json(value);
  return text.startsWith('"') ? `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : text;
}

/** The references of a collection. The client's types derive both directions and many-to-many relations from them. */
function relationships(collection: Collection): string {
  const all = collection.references.map((reference) => `\n${relationship(collection, reference)}`);
  return all.length === 0 ? '' : `${all.join('')}\n        `;
}

function relationship(collection: Collection, { name, field, to }: Reference): string {
  const target = collection.among.get(to)!;
  return `          {
            foreignKeyName: '${name}';
            columns: ['${field.name}'];
            isOneToOne: ${isUnique(collection, field)};
            referencedRelation: '${to}';
            referencedColumns: [${target.key.map((each) => `'${each.name}'`).join(', ')}];
          },`;
}
