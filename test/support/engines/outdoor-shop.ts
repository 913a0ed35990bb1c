/** The outdoor shop of examples/shop: its declaration and its rows. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { parseCsv } from '../csv.ts';

const SHOP = new URL('../../../examples/shop/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, SHOP), 'utf8');

export const OUTDOOR_SHOP = declareCatalogue(
  parseDeclaration(read('collections.yaml'), fileURLToPath(new URL('collections.yaml', SHOP))),
);

export const OUTDOOR_ROWS: Readonly<Record<string, readonly Row[]>> = Object.fromEntries(
  ['categories', 'products', 'texts', 'variants', 'prices', 'stock', 'customers'].map((name) => {
    const [header, ...lines] = parseCsv(read(`rows/${name}.csv`));
    return [name, lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [header![at], jsonOf(cell!)])))];
  }),
);

function jsonOf(cell: string | null): string | number | null {
  return cell !== null && /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
}
