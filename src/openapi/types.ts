/** TypeScript types of the catalogue, in the form that `@supabase/postgrest-js` reads: `PostgrestClient<Database>`. */
import type { Catalogue, Collection, Field, Reference } from '../collection/declaration.ts';
import { isUnique } from '../collection/relations.ts';
import { descriptionOf, isGiven } from './schemas.ts';

/** The client's types go by it: since 13 a list can be spread, and the number of affected rows be bounded. */
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

/** What the types of the fields need, once each. */
function declarations(collections: readonly Collection[]): string {
  const needed = collections.flatMap(({ fields }) => fields.flatMap(({ type }) => type.declares ?? []));
  return [...new Set(needed)].map((each) => `${each}\n\n`).join('');
}

function table(collection: Collection): string {
  return `${comment(6, collection.description ?? collection.title)}      ${collection.name}: {
        Row: {
${members(collection, () => false)}
        };
        /** What is optional takes its default, or null. */
        Insert: {
${members(collection, (field) => !isGiven(collection, field))}
        };
        Update: {
${members(collection, () => true)}
        };
        Relationships: [${relationships(collection)}];
      };`;
}

function members({ fields }: Collection, isOptional: (field: Field) => boolean): string {
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

function readType({ type: { typescript }, required }: Field): string {
  return required ? typescript : `${typescript} | null`;
}

/** What it refers to; from these the client's types find both directions, and what lies between two. */
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
