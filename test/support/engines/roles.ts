/** Catalogues with roles for the tests, read from YAML. Request headers name the caller. */
import type { AppOptions } from '../../../src/app.ts';
import { ANONYMOUS, type Caller } from '../../../src/collection/access/caller.ts';
import { type Catalogue as Declared, declareCatalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import type { Catalogue } from './catalogue.ts';
import { isChosen } from './chosen.ts';
import { openDeclared } from './shop.ts';

export const ROLE_ENGINES = (['SQLite', 'SQLite with large tables', 'PostgreSQL'] as const).filter(isChosen);

export function declaredBy(yaml: string): Declared {
  return declareCatalogue(parseDeclaration(yaml, 'collections.yaml'));
}

/** Returns the caller that `X-Role` and `X-Claims` name. */
export function identify({ headers }: Pick<Request, 'headers'>): Caller {
  const role = headers.get('x-role');
  if (role === null) return ANONYMOUS;
  const claims = JSON.parse(headers.get('x-claims') ?? '{}') as Caller['claims'];
  return { role, claims, ...(claims.sub === undefined ? {} : { identity: `token ${claims.sub}` }) };
}

export type As = (role: string | undefined, claims?: Readonly<Record<string, unknown>>) => Client;

export interface Client {
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly list: (path: string) => Promise<Row[]>;
  readonly text: (path: string, init?: RequestInit) => Promise<string>;
}

export interface Roled extends Catalogue {
  readonly as: As;
}

export async function openRoled(
  engine: string,
  catalogue: Declared,
  rows: Readonly<Record<string, readonly Row[]>>,
  options: Partial<AppOptions> = {},
): Promise<Roled> {
  const opened = await openDeclared(engine, catalogue, rows, { identify, ...options });
  return { ...opened, as: (role, claims) => clientOf(opened, role, claims) };
}

function clientOf(opened: Catalogue, role: string | undefined, claims?: Readonly<Record<string, unknown>>): Client {
  const own: Record<string, string> = {
    ...(role === undefined ? {} : { 'x-role': role }),
    ...(claims === undefined ? {} : { 'x-claims': JSON.stringify(claims) }),
  };
  const fetch = (path: string, init: RequestInit = {}) =>
    opened.fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...own } });
  return {
    fetch,
    list: async (path) => (await (await fetch(path)).json()) as Row[],
    text: async (path, init) => (await fetch(path, init)).text(),
  };
}
