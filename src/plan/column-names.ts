/** What the columns of an answer are called; and of an embedding, which names could be either of two columns. */
import type { Collection } from '../collection/declaration.ts';
import type { FieldPath, SelectItem } from '../dialect/tree.ts';
import { Refusal } from '../errors.ts';
import { oncePer } from '../once-per.ts';
import { calledAs, type Embeds, type PlannedEmbed, type ShownNames } from './embeds.ts';

export function columnName({ alias, aggregate: figure, field }: Extract<SelectItem, { kind: 'column' }>): string {
  return alias ?? figure ?? nameOf(field);
}

/** The last step that is a name: what lies at an index is called as the list it is in. */
function nameOf({ name, json }: FieldPath): string {
  return json.findLast(({ key }) => !/^-?\d+$/.test(key))?.key ?? name;
}

/** A row may show a name twice, and the last one is what is read; but where a column is taken out of it by its name, it has to be one. */
export function checkClear({ shown }: PlannedEmbed, name: string): void {
  if (!repeatedIn(shown).has(name)) return;
  throw new Refusal('42702', `column reference "${name}" is ambiguous`, {
    hint: `Give one of them another name: other:${name}.`,
  });
}

const repeatedIn = oncePer(({ named, starred }: ShownNames): ReadonlySet<string> => {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of [...named, ...starred]) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
});

/** A `*` of a list, or beside aggregates, stands for the names of all fields; else whatever it holds is taken together. */
export function namesShown(
  collection: Collection,
  select: readonly SelectItem[],
  embeds: Embeds,
  many: boolean,
): ShownNames {
  const isListed = many || select.some((item) => item.kind === 'count' || ('aggregate' in item && item.aggregate));
  const named: string[] = [];
  const starred: string[] = [];
  for (const item of select) {
    if (item.kind === 'all') (isListed ? named : starred).push(...collection.fields.map(({ name }) => name));
    else if (item.kind === 'count') named.push(item.alias ?? 'count');
    else if (item.kind === 'column') named.push(columnName(item));
    else {
      const { shown, plan } = embeds.byItem.get(item)!;
      if (item.spread) {
        named.push(...shown.named);
        (isListed ? named : starred).push(...shown.starred);
      } else if (plan.columns.length > 0) named.push(calledAs(item));
    }
  }
  return { named, starred };
}
