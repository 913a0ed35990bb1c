/** What a service says when it has started. */
import { products } from '../collection/products.ts';
import type { ServeSettings } from '../config.ts';
import { hasConsole } from '../console/bundle.ts';
import { CONSOLE_PATH } from '../console/pages.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import { planRead } from '../plan/read.ts';

export interface Greeting {
  readonly url: string;
  /** Where the data is. */
  readonly location: string;
  /** What was made or changed in a database that was there before. */
  readonly made: readonly string[];
  readonly products: string;
}

export function greet(greeting: Greeting, settings: ServeSettings, admin?: string): void {
  const { url, location, made, products: count } = greeting;
  console.log(`Product Catalogue listens on ${url}
Database  ${location}${made.length === 0 ? '' : `\nMade      ${made.join(', ')}`}
Products  ${count}${settings.workers === 1 ? '' : `\nWorkers   ${settings.workers}`}
Console   ${hasConsole() ? url + CONSOLE_PATH : 'not installed; npm install without --omit=dev brings it'}${admin === undefined ? '' : `\nAdmin     ${admin}`}
Try       curl '${url}/${products.name}?limit=3'`);
  if (!isLoopback(settings.host)) {
    console.error(
      `WARNING: ${settings.host} can be reached by others, and no credentials are asked for: anyone may read and change the catalogue.`,
    );
  }
}

const COUNT = planRead(products, EMPTY_QUERY, { offset: 0, limit: 0 }, 'exact');

/** A database that is down is no reason not to start: it is looked for, and requests are told meanwhile. */
export async function countProducts(engine: Engine): Promise<string> {
  try {
    const { total } = await engine.read(COUNT, { format: 'json', stripNulls: false, columns: [] });
    return String(total);
  } catch (error) {
    if (error instanceof Refusal) return `not known yet: ${error.details ?? error.message}`;
    throw error;
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
