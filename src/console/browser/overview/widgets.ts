/** The cards and charts that a declaration allows. Each has an id, by which a person pins it. */
import { type Collection, type Field, isYesNo, labelOf, mainCollections, titleOfCollection } from '../api/catalogue.ts';
import { groupFields } from '../api/query/list.ts';
import { kindOf } from '../fields/registry.ts';
import { inSentence } from '../i18n/locale.ts';
import { t } from '../i18n/text.ts';
import { aggregate, countStock, type Figure, groupRows, lowRows, stockValue } from './figures.ts';

export interface Widget {
  readonly id: string;
  readonly title: string;
  readonly collection: Collection;
  readonly isChart: boolean;
  /** Whether a person sees it who has not chosen yet. */
  readonly isDefault: boolean;
  readonly hasDecimals: boolean;
  readonly load: () => Promise<Figure | undefined>;
}

const DEFAULT_CHARTS = 2;

export const widgets = (): readonly Widget[] => mainCollections.flatMap(widgetsOf);

export function widgetsOf(collection: Collection): readonly Widget[] {
  const name = titleOfCollection(collection);
  const withRole = (name: string) => collection.fields.find(({ role }) => role === name);
  const [price, stock, threshold] = [withRole('price'), withRole('stock'), withRole('threshold')];
  const [group, worth] = [withRole('group'), withRole('value')];
  const widget = (
    id: string,
    title: string,
    load: Widget['load'],
    { isChart = false, isDefault = false, hasDecimals = false }: Partial<Widget> = {},
  ): Widget => ({ id: `${collection.name}.${id}`, title, collection, isChart, isDefault, hasDecimals, load });
  const shown = { isDefault: true };
  const chart = { isChart: true, isDefault: true };

  const cards = [widget('count', name, () => aggregate(collection, 'count'), shown)];
  const ofStock = price && stock && { price, stock, group };
  // The request of the stock value answers other figures of the stock and its groups as well.
  const loadSum = (by?: Field, summed?: Field) => {
    const alone = () => (by === undefined ? aggregate(collection, 'sum', summed) : groupRows(collection, by, summed));
    if (ofStock === undefined || worth !== undefined || (summed ?? stock) !== stock || (by ?? group) !== group)
      return alone;
    return async () => (await countStock(collection, ofStock, by, summed === undefined ? 'rows' : 'stock')) ?? alone();
  };
  // A declared value of each row is added up by the service, whatever the number of rows.
  const loadValue = (by?: Field) =>
    worth ? loadSum(by, worth) : ofStock && (() => stockValue(collection, ofStock, by !== undefined));
  const value = loadValue();
  if (value !== undefined) {
    cards.push(widget('value', t.overview.stockValue, value, { ...shown, hasDecimals: true }));
  }
  if (stock !== undefined && threshold !== undefined) {
    const title = t.overview.below(labelOf(stock), inSentence(labelOf(threshold)));
    cards.push(widget('low', title, () => lowRows(collection, stock, threshold), shown));
  }
  const numbers = collection.fields.filter((field) => field !== worth && isMeasure(collection, field));
  for (const field of numbers) {
    const options = { isDefault: field === stock };
    const sum = t.overview.sumOf(labelOf(field));
    cards.push(widget(`sum.${field.name}`, sum, loadSum(undefined, field), options));
    const average = t.overview.averageOf(labelOf(field));
    const load = () => aggregate(collection, 'avg', field);
    cards.push(widget(`average.${field.name}`, average, load, { hasDecimals: true }));
  }
  const charts: Widget[] = [];
  const valueByGroup = group && loadValue(group);
  if (group !== undefined && valueByGroup !== undefined) {
    const title = t.overview.by(t.overview.stockValue, inSentence(labelOf(group)));
    charts.push(widget(`value.by.${group.name}`, title, valueByGroup, { ...chart, hasDecimals: true }));
  }
  const groups = groupsOf(collection);
  const free = DEFAULT_CHARTS - charts.length;
  for (const [at, by] of groups.entries()) {
    const options = { isChart: true, isDefault: at < free };
    const title = t.overview.by(name, inSentence(labelOf(by)));
    charts.push(widget(`count.by.${by.name}`, title, loadSum(by), options));
  }
  for (const by of groups)
    for (const field of numbers) {
      const title = t.overview.by(labelOf(field), inSentence(labelOf(by)));
      const options = { isChart: true, isDefault: field === stock && by === group };
      charts.push(widget(`sum.${field.name}.by.${by.name}`, title, loadSum(by, field), options));
    }
  return [...cards, ...charts];
}

/** Fields with few values: the declared group first, then choices, yes or no, and references. */
function groupsOf(collection: Collection): readonly Field[] {
  const ranks = [({ role }: Field) => role === 'group', ({ rules }: Field) => rules.oneOf !== undefined, isYesNo];
  const rank = (field: Field) => [...ranks, () => true].findIndex((has) => has(field));
  return groupFields(collection).toSorted((one, other) => rank(one) - rank(other));
}

/** Numbers that can be added up, not keys or identifiers. */
function isMeasure(collection: Collection, field: Field): boolean {
  const isUnique = collection.unique.some(({ fields }) => fields.includes(field));
  const isKey = collection.key.includes(field);
  return kindOf({ collection, field }).name === 'number' && !isKey && !isUnique && field.role !== 'group';
}
