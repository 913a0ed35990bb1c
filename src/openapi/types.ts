/** TypeScript types of the collection, in the form that `@supabase/postgrest-js` reads: `PostgrestClient<Database>`. */
import type { Collection, Field } from '../collection/declaration.ts';
import { isGiven } from './schemas.ts';

export function typeScriptTypes(collection: Collection): string {
  const { name } = collection;
  return `/** The types of the catalogue, for clients: \`createClient<Database>\`. Made by \`catalogue types\`; do not edit. */
${declarations(collection)}export type Database = {
  public: {
    Tables: {
      ${name}: {
        Row: {
${members(collection, (field) => ({ optional: false, type: readType(field) }))}
        };
        /** What is optional takes its default, or null. */
        Insert: {
${members(collection, (field) => ({ optional: !isGiven(collection, field), type: readType(field) }))}
        };
        Update: {
${members(collection, (field) => ({ optional: true, type: readType(field) }))}
        };
        Relationships: [];
      };
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
function declarations({ fields }: Collection): string {
  return [...new Set(fields.flatMap(({ type }) => type.declares ?? []))].map((each) => `${each}\n\n`).join('');
}

function members({ fields }: Collection, shape: (field: Field) => { optional: boolean; type: string }): string {
  const indent = ' '.repeat(10);
  return fields
    .map((field) => {
      const { optional, type } = shape(field);
      return `${indent}/** ${field.description} */\n${indent}${field.name}${optional ? '?' : ''}: ${type};`;
    })
    .join('\n');
}

function readType(field: Field): string {
  const { typescript } = field.type;
  return field.required === true ? typescript : `${typescript} | null`;
}
