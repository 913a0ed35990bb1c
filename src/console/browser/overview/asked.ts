/** The figures, asked for before anything else runs if the overview is the page that was opened: they take the service longest. */
import { collectionName } from '../shared/collection.ts';
import { isLoginWanted } from '../shared/session.ts';
import { token } from '../shared/token.ts';
import { PARTS, type PartName } from './figures.ts';

export const NAMES = Object.keys(PARTS) as PartName[];

const isOpened = /^#?\/?$/.test(location.hash) && !token.isAskedFor() && !isLoginWanted();
const early = new Map<PartName, Promise<unknown>>(isOpened ? NAMES.map((name) => [name, PARTS[name]()]) : []);
for (const asked of early.values()) asked.catch(() => undefined);

/** No answer is kept for later: what was true then need not be now. */
export async function readPart(name: PartName): Promise<unknown> {
  const asked = early.get(name) ?? PARTS[name]();
  early.delete(name);
  // react-query knows no answer that is undefined.
  return (await asked) ?? null;
}

export const keyOf = (name: PartName): readonly string[] => ['overview', collectionName, name];
