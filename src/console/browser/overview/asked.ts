/**
 * Requests the figures before any other script runs, if the overview is the first page. They are the slowest requests.
 */
import { collectionName } from '../shared/api/collection.ts';
import { isLoginNeeded } from '../shared/api/session.ts';
import { token } from '../shared/api/token.ts';
import { PARTS, type PartName } from './figures.ts';

export const NAMES = Object.keys(PARTS) as PartName[];

const isOpened = /^#?\/?$/.test(location.hash) && !token.isAskedFor() && !isLoginNeeded();
const early = new Map<PartName, Promise<unknown>>(isOpened ? NAMES.map((name) => [name, PARTS[name]()]) : []);
for (const asked of early.values()) asked.catch(() => undefined);

/** Reads a part. An early answer is used once, since the data may change later. */
export async function readPart(name: PartName): Promise<unknown> {
  const asked = early.get(name) ?? PARTS[name]();
  early.delete(name);
  // react-query does not accept undefined as data.
  return (await asked) ?? null;
}

export const keyOf = (name: PartName): readonly string[] => ['overview', collectionName, name];
