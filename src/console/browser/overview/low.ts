/**
 * Rows that run low. The dialect cannot compare two fields. The service therefore counts the rows per pair of threshold
 * and stock. If there are too many pairs, the page compares each threshold with the stock.
 */
import { fieldWithRole, type KeyedRow, labelOf, listPath } from '../shared/api/collection.ts';
import { ask } from '../shared/api/http.ts';
import { type Chip, queryText } from '../shared/api/query.ts';
import { fewRows, rowsOf } from './ask-few.ts';

export interface Low {
  readonly count: number;
  /** Absent if one request cannot name all rows. */
  readonly where?: readonly Chip[];
  readonly rows: readonly KeyedRow[];
}

/** Number of rows shown. */
const SHOWN = 8;
/** Thresholds per request: each takes two of the 500 conditions. */
const MAX_THRESHOLDS = 200;

const stock = fieldWithRole('stock');
const threshold = fieldWithRole('threshold');

type Raw = Extract<Chip, { raw: unknown }>;

interface Pair {
  readonly level: number;
  readonly stock: number;
  readonly count: number;
}

/** A count whose threshold or stock may be null. */
type CountChart = { readonly [Name in keyof Pair]: Pair[Name] | null };

/** Returns undefined if the roles are not declared, or if small answers do not suffice. */
export async function readLow(): Promise<Low | undefined> {
  if (stock === undefined || threshold === undefined) return undefined;
  const select = ['select', `level:${threshold.name},stock:${stock.name},count()`] as const;
  // One request suffices if there are few pairs.
  const pairs = (await fewRows([select])) ?? (await readPairsBelowHighest(select));
  return pairs === undefined ? readByThresholds() : lowOf(pairs as unknown as readonly CountChart[]);
}

/** Only rows below the highest threshold can be low. */
async function readPairsBelowHighest(select: readonly [string, string]): Promise<readonly KeyedRow[] | undefined> {
  const [highest] = await rowsOf([['select', `most:${threshold!.name}.max()`]]);
  const most = Number(highest?.most ?? 0);
  return most <= 0 ? [] : fewRows([select, [threshold!.name, 'gt.0'], [stock!.name, `lt.${most}`]]);
}

/** A row without a stock or a threshold is not low. */
const isLow = (pair: CountChart): pair is Pair =>
  pair.level !== null && pair.stock !== null && pair.level > 0 && pair.stock < pair.level;

async function lowOf(pairs: readonly CountChart[]): Promise<Low> {
  const low = pairs.filter(isLow).sort((one, other) => one.stock - other.stock);
  const levels = [...new Set(low.map(({ level }) => level))];
  return {
    count: low.reduce((sum, { count }) => sum + count, 0),
    ...(levels.length > 0 && levels.length <= MAX_THRESHOLDS ? { where: [below(levels)] } : {}),
    rows: await lowest(low),
  };
}

async function readByThresholds(): Promise<Low | undefined> {
  const levels = await fewRows(
    [
      ['select', `level:${threshold!.name},count()`],
      [threshold!.name, 'gt.0'],
    ],
    MAX_THRESHOLDS,
  );
  if (levels === undefined) return undefined;
  const where = below(levels.map(({ level }) => Number(level)));
  const query = [where.raw, ['order', `${stock!.name}.asc`], ['limit', String(SHOWN)]] as const;
  const answer = await ask(`${listPath}?${queryText(query)}`, { headers: { prefer: 'count=exact' } });
  const count = Number(answer.headers.get('content-range')?.split('/')[1] ?? 0);
  return { count, where: [where], rows: answer.json as KeyedRow[] };
}

/** The rows with the lowest stocks, at most as many as are shown. */
async function lowest(pairs: readonly Pair[]): Promise<readonly KeyedRow[]> {
  const enough: Pair[] = [];
  for (let rows = 0; rows < SHOWN && enough.length < pairs.length; rows += enough.at(-1)!.count) {
    enough.push(pairs[enough.length]!);
  }
  if (enough.length === 0) return [];
  const terms = enough.map(
    ({ level, stock: units }) => `and(${threshold!.name}.eq.${level},${stock!.name}.eq.${units})`,
  );
  const rows = await rowsOf([
    ['or', `(${terms.join(',')})`],
    ['limit', String(SHOWN)],
  ]);
  return [...rows].sort((one, other) => Number(one[stock!.name]) - Number(other[stock!.name]));
}

function below(levels: readonly number[]): Raw {
  const terms = levels.map((level) => `and(${threshold!.name}.eq.${level},${stock!.name}.lt.${level})`);
  return {
    raw: ['or', `(${terms.join(',')})`],
    label: `${labelOf(stock!)} below ${labelOf(threshold!).toLowerCase()}`,
  };
}
