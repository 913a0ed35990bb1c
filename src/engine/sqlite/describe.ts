import type { DescribedDatabase } from '../described.ts';
export async function describeSqlite(path: string): Promise<DescribedDatabase> {
  return { location: path, collections: [], leftOut: [] };
}
