/** Names of result columns, and detection of ambiguous names in an embedding. */

import { ApiError } from '../../base/errors.ts';
import type { Collection } from '../../collection/declaration.ts';
import type { FieldPath, SelectItem } from '../../dialect/tree.ts';
import { type Embeds, embedName, type PlannedEmbed, type ShownNames } from './embeds.ts';

export function columnName({ alias, aggregate: figure, field }: Extract<SelectItem, { kind: 'column' }>): string {
  return alias ?? (figure === 'distinct' ? 'count' : figure) ?? nameOf(field);
}

/** The last step that is a name: an array element takes the name of its array. */
function nameOf({ name, json }: FieldPath): string {
  return json.findLast(({ key }) => !/^-?\d+$/.test(key))?.key ?? name;
}

/**
 * A row may repeat a name, and JSON readers take the last one. But a column that is selected by name must be unique.
 */
export function checkUnambiguous({ shown }: PlannedEmbed, names: readonly string[]): void {
  const unique = new Set<string>();
  const repeated = new Set<string>();
  for (const name of [...shown.named, ...shown.starred]) (unique.has(name) ? repeated : unique).add(name);
  const name = names.find((each) => repeated.has(each));
  if (name === undefined) return;
  throw new ApiError('42702', `column reference "${name}" is ambiguous`, {
    hint: `Give one of them another name: other:${name}.`,
  });
}

/** `*` in a list or beside aggregates means the names of all fields; otherwise it counts as one. */
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
      } else if (plan.columns.length > 0) named.push(embedName(item));
    }
  }
  return { named, starred };
}
