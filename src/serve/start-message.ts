/** Prints the messages of a started service. */

import { ApiError } from '../base/errors.ts';
import { isLoopback } from '../base/net/address.ts';
import { pathPart } from '../base/net/query-string.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import { viewOf } from '../collection/access/views.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { hasConsole } from '../console/bundle.ts';
import { CONSOLE_PATH } from '../console/pages.ts';
import type { Engine } from '../engine/engine.ts';
import { countRows } from '../engine/row-store.ts';
import type { ServeSettings } from '../settings/by-command.ts';

export interface StartMessage {
  readonly url: string;
  /** The database, for people. */
  readonly location: string;
  /** Changes to the schema of an existing database. */
  readonly made: readonly string[];
  /** The row counts, for people. */
  readonly rows: string;
  /** A collection for the example request. */
  readonly example: string;
  /** Whether anyone who reaches the service may do everything. */
  readonly isOpen: boolean;
  readonly warnings: readonly string[];
}

export function printStartMessage(greeting: StartMessage, settings: ServeSettings, admin?: string): void {
  const { url, location, made, rows, example } = greeting;
  const base = `${url}${settings.basePath}`;
  console.log(`Product Catalogue listens on ${url}
Database  ${location}${made.length === 0 ? '' : `\nApplied   ${made.join(', ')}`}
${rows}${settings.workers === 1 ? '' : `\nWorkers   ${settings.workers}`}
Console   ${hasConsole() ? base + CONSOLE_PATH : 'not installed; run npm install without --omit=dev'}${admin === undefined ? '' : `\nAdmin     ${admin}`}
Try       curl '${base}/${pathPart(example)}?limit=3'`);
  for (const warning of [...exposureWarnings(greeting, settings), ...greeting.warnings])
    console.error(`WARNING: ${warning}`);
}

/** Warnings for a service that other machines can reach. */
function exposureWarnings({ isOpen }: StartMessage, { host, tlsCert }: ServeSettings): readonly string[] {
  if (isLoopback(host)) return [];
  if (isOpen) {
    return [`Other machines can reach ${host}, and the catalogue has no roles: anyone may read and change everything.`];
  }
  if (tlsCert !== '') return [];
  return [
    `Other machines can reach ${host} without TLS: passwords, keys and tokens are not encrypted. Use --tls-cert and --tls-key, or allow only a proxy with TLS to connect.`,
  ];
}

/** The first collection that callers without credentials may read. */
export function readByVisitors(catalogue: Catalogue): string | undefined {
  const visitor = catalogue.roles?.get(ANONYMOUS.role);
  const { collections } = visitor === undefined ? catalogue : viewOf(catalogue, visitor);
  return collections.keys().next().value;
}

const MOST_COUNTED = 12;

/** The service also starts while the database is down; requests get an error until it is back. */
export async function describeRowCounts(engine: Engine, { collections }: Catalogue): Promise<string> {
  const all = [...collections.values()];
  const counts = await Promise.all(
    all
      .slice(0, MOST_COUNTED)
      .map(async (collection) => [collection.name, await countRows(engine, collection).catch(reasonOf)] as const),
  );
  const rowCounts = counts.filter(([, count]) => typeof count === 'number').map(([name, count]) => `${name} ${count}`);
  // Mostly the same reason applies to all collections.
  const reasons = new Set(counts.map(([, count]) => count).filter((count) => typeof count === 'string'));
  const unknown = [...reasons].map((reason) => {
    const names = counts.filter(([, count]) => count === reason).map(([name]) => name);
    return `${names.join(', ')} not known yet: ${reason}`;
  });
  const others = all.length - counts.length;
  return `Rows      ${[...rowCounts, ...unknown, ...(others > 0 ? [`${others} other collections`] : [])].join(', ')}`;
}

/** Why the count is not available. */
function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.details ?? error.message;
  throw error;
}
