/** The columns of a grid: which, in which order and how wide. A person's choice is stored per collection. */
import { type Collection, type Field, isNumeric, isYesNo, titleFieldOf, translatedBy } from '../api/catalogue.ts';
import { type ListQuery, viewId } from '../api/query/list.ts';
import { browserStorage } from '../base/storage.ts';
import { Store, useStore } from '../base/store.ts';
import { kindOf } from '../fields/registry.ts';

export interface Column {
  readonly field: Field;
  readonly width: number;
  readonly isFrozen: boolean;
}

export const ROW_HEIGHTS = { compact: 28, normal: 36, tall: 64 } as const;
export type RowHeight = keyof typeof ROW_HEIGHTS;

/** A figure of all rows of a list, at the foot of a column. */
export const FIGURES = ['sum', 'avg', 'min', 'max', 'filled', 'empty'] as const;
export type ColumnFigure = (typeof FIGURES)[number];

/** A person's choice. Fields that `order` does not name follow in declared order. */
export interface ColumnSettings {
  readonly order?: readonly string[];
  readonly hidden?: readonly string[];
  readonly widths?: Readonly<Record<string, number>>;
  readonly rowHeight?: RowHeight;
  readonly figures?: Readonly<Record<string, ColumnFigure>>;
  /** Shows the translations into this language in place of the translated fields. */
  readonly language?: string;
}

/** Settings that another client may have stored; parts of another form are left out. */
export function readSettings(json: unknown): ColumnSettings {
  const { order, hidden, widths, rowHeight, figures, language } = (json ?? {}) as Readonly<Record<string, unknown>>;
  const isTexts = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((each) => typeof each === 'string');
  const known = Object.entries(figures ?? {}).filter(([, each]) => FIGURES.some((figure) => figure === each));
  const sizes = Object.entries(widths ?? {}).filter(([, width]) => typeof width === 'number' && width >= MIN_WIDTH);
  return {
    ...(isTexts(order) && { order }),
    ...(isTexts(hidden) && { hidden }),
    ...(sizes.length > 0 && { widths: Object.fromEntries(sizes) as Record<string, number> }),
    ...(Object.hasOwn(ROW_HEIGHTS, String(rowHeight)) && { rowHeight: rowHeight as RowHeight }),
    ...(known.length > 0 && { figures: Object.fromEntries(known) as Record<string, ColumnFigure> }),
    ...(typeof language === 'string' && { language }),
  };
}

export const MIN_WIDTH = 60;

/** The title comes first and stays in view; without a title, the key does. */
export function columnsOf(collection: Collection, settings: ColumnSettings) {
  const { order = [], hidden = [], widths = {}, language } = settings;
  const inLanguage = (field: Field) => field.translations?.get(language ?? '') ?? field;
  const title = inLanguage(titleFieldOf(collection) ?? collection.key[0]!);
  const fields =
    language === undefined
      ? collection.fields
      : collection.fields.filter((field) => translatedBy(collection, field) === undefined).map(inLanguage);
  const place = ({ name }: Field) => (order.includes(name) ? order.indexOf(name) : order.length);
  const rest = fields.filter((field) => field !== title).toSorted((one, two) => place(one) - place(two));
  return [title, ...rest]
    .filter((field) => field === title || !hidden.includes(field.name))
    .map(
      (field): Column => ({
        field,
        width: widths[field.name] ?? defaultWidth(collection, field, field === title),
        isFrozen: field === title,
      }),
    );
}

function defaultWidth(collection: Collection, field: Field, isTitle: boolean): number {
  if (isTitle) return 260;
  if (collection.key.includes(field)) return 90;
  if (isYesNo(field)) return 110;
  if (kindOf({ collection, field }).name === 'reference') return 180;
  return isNumeric(field) ? 130 : 190;
}

/** Moves a column to the place of another column. */
export function moveColumn(collection: Collection, settings: ColumnSettings, name: string, to: string): ColumnSettings {
  const names = columnsOf(collection, { ...settings, hidden: [] }).map(({ field }) => field.name);
  const place = names.indexOf(to);
  const order = names.filter((each) => each !== name);
  return { ...settings, order: order.toSpliced(place, 0, name) };
}

export function withFigure(settings: ColumnSettings, name: string, figure: ColumnFigure | undefined): ColumnSettings {
  const { [name]: _before, ...others } = settings.figures ?? {};
  return { ...settings, figures: figure === undefined ? others : { ...others, [name]: figure } };
}

export function toggleColumn(settings: ColumnSettings, name: string): ColumnSettings {
  const { hidden = [] } = settings;
  return { ...settings, hidden: hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name] };
}

export function withWidth(settings: ColumnSettings, name: string, width: number): ColumnSettings {
  return { ...settings, widths: { ...settings.widths, [name]: Math.max(MIN_WIDTH, Math.round(width)) } };
}

const storageKey = ({ name }: Collection): string => `catalogue.columns.${name}`;
const stores = new Map<string, Store<ColumnSettings | undefined>>();

/** The columns of a list. Those of a view are its own, and unknown until it is loaded. */
function storeOf(collection: Collection, view: string | undefined): Store<ColumnSettings | undefined> {
  const name = `${collection.name} ${view ?? ''}`;
  const known = stores.get(name);
  if (known !== undefined) return known;
  const stored = view === undefined ? readSettings(browserStorage.getJson(storageKey(collection))) : undefined;
  const store = new Store<ColumnSettings | undefined>(stored);
  stores.set(name, store);
  return store;
}

const ALL: ColumnSettings = {};

export const columnSettings = (query: ListQuery): ColumnSettings =>
  storeOf(query.collection, viewId(query)).get() ?? ALL;
export const useColumnSettings = (query: ListQuery): ColumnSettings =>
  useStore(storeOf(query.collection, viewId(query))) ?? ALL;

/** Shows other columns. Those of a person are stored; those of a view, when someone saves it. */
export function setColumnSettings(query: ListQuery, settings: ColumnSettings): void {
  if (viewId(query) === undefined) browserStorage.setJson(storageKey(query.collection), settings);
  storeOf(query.collection, viewId(query)).set(settings);
}

/** Shows the stored columns of a view, unless the person has changed them since. */
export function showViewColumns(collection: Collection, view: string, settings: ColumnSettings, isReset = false): void {
  const store = storeOf(collection, view);
  if (isReset || store.get() === undefined) store.set(settings);
}
