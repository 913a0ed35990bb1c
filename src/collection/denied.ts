/** What a role may not do, as PostgreSQL says it. */
import { Refusal } from '../errors.ts';
import type { Collection, Field } from './catalogue.ts';
import type { Right } from './draft.ts';

export function deniedTable(name: string, right?: Right): Refusal {
  return new Refusal('42501', `permission denied for table ${name}`, {
    hint: right === undefined ? undefined : `Your role may not ${right} rows of ${name}.`,
  });
}

/** Each of the fields is the role's to name, but no rule of it allows all of them at once. */
export function deniedTogether({ name, fields }: Collection, apart: readonly Field[], right: Right): Refusal {
  const names = fields.filter((field) => apart.includes(field)).map((field) => field.name);
  return new Refusal('42501', `permission denied for table ${name}`, {
    hint: `No rule of your role may ${right} all of ${names.join(', ')}: name fewer of them at once.`,
  });
}

export function deniedField(table: string, field: string, right: Right): Refusal {
  return new Refusal('42501', `permission denied for column ${field} of table ${table}`, {
    hint: `Your role may not ${right} it.`,
  });
}

export function deniedPlans(): Refusal {
  return new Refusal('42501', 'permission denied for plans', { hint: 'Plans are told to roles that may do all.' });
}

/**
 * A row that a write would make, or leave behind, breaks the rules under which it was made; or an upsert has met one that it may
 * not change. Which of them it is would tell whether there is such a row.
 */
export function deniedRow(table: string): Refusal {
  return new Refusal('42501', `new row violates row-level security policy for table "${table}"`, {
    details: 'Nothing was changed.',
    hint: 'Your role may store only rows that its rules allow.',
  });
}
