/** Whether a declaration is right, with its files of rows: for people who want to know before anything is touched. */
import { readDeclaration } from './read.ts';
import { readRows } from './rows.ts';

export interface Summary {
  readonly collections: number;
  readonly fields: number;
  /** In the files of rows. */
  readonly rows: number;
}

export async function checkDeclaration(file: string): Promise<Summary> {
  const { collections } = readDeclaration(file);
  let rows = 0;
  for (const collection of collections) {
    for await (const batch of readRows(collection)) rows += batch.rows.length;
  }
  return { collections: collections.length, fields: collections.flatMap(({ fields }) => fields).length, rows };
}
