/**
 * The files of rows that a declaration names, by collection, with aliases and merge keys resolved as for the service.
 * Reads no file but the text.
 */
import { type Node, parseNodes } from './reader/document.ts';
import { Mistakes } from './reader/mistakes.ts';

/** Empty for a text that is not YAML. */
export function rowFilesIn(text: string): ReadonlyMap<string, string> {
  const collections = member(parseNodes(text, new Mistakes()), 'collections');
  const found = entriesOf(collections).flatMap(({ key, node }): [string, string][] => {
    const rows = member(node, 'rows');
    return rows?.kind === 'text' ? [[key, rows.text]] : [];
  });
  return new Map(found);
}

function member(node: Node | undefined, name: string): Node | undefined {
  return entriesOf(node).find(({ key }) => key === name)?.node;
}

function entriesOf(node: Node | undefined) {
  return node?.kind === 'map' ? node.entries : [];
}
