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
