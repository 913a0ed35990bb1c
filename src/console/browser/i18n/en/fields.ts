import { counted } from '../numbers.ts';

export const fields = {
  choose: 'Choose…',
  noMatches: 'No matches',
  searching: 'Searching…',
  from: 'from',
  upTo: 'up to',
  any: 'Any',
  isEmpty: 'is empty',
  isNotEmpty: 'is not empty',
  openFile: 'Open the file',
  addTag: 'Add with Enter',
} as const;

export const files = {
  count: (count: number) => counted(count, 'file'),
  file: 'File',
  drop: 'Drop files here, paste them, or',
  dropOne: 'Drop a file here, paste it, or',
  uploading: 'Uploading…',
  earlier: (name: string) => `Move ${name} forward`,
  later: (name: string) => `Move ${name} back`,
  tooMany: (count: number) => `At most ${counted(count, 'file')}.`,
  picture: (at: number) => `Picture ${at}`,
} as const;
