/** The outdoor shop of examples/shop: its declaration and its rows. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Catalogue, declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { parseCsv } from '../csv.ts';

const SHOP = new URL('../../../examples/shop/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, SHOP), 'utf8');

/** The catalogue with more roles, which are its last part. */
export function outdoorShop(moreRoles: string): Catalogue {
  const file = fileURLToPath(new URL('collections.yaml', SHOP));
  return declareCatalogue(parseDeclaration(`${read('collections.yaml')}${moreRoles}`, file));
}

export const OUTDOOR_SHOP = outdoorShop('');

export const OUTDOOR_ROWS: Readonly<Record<string, readonly Row[]>> = Object.fromEntries(
  ['categories', 'products', 'variants', 'prices', 'stock', 'customers'].map((name) => {
    const [header, ...lines] = parseCsv(read(`rows/${name}.csv`));
    return [name, lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [header![at], jsonOf(cell!)])))];
  }),
);

function jsonOf(cell: string | null): string | number | null {
  return cell !== null && /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
}
