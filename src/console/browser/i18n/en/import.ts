import { counted, formatNumber, plural } from '../numbers.ts';

const rows = (count: number) => counted(count, 'row');

export const importing = {
  title: (collection: string) => `Import into ${collection}`,
  open: 'Import',
  dropHere:
    'Drop a file here: CSV, Excel (.xlsx), JSON or NDJSON. It is checked first; nothing is stored until you say so.',
  chooseFile: 'Choose a file',
  summary: (name: string, count: number, bad: number) =>
    `${name}: ${rows(count)}, ${bad === 0 ? 'all valid' : `${formatNumber(bad)} with errors`}. Nothing is stored yet.`,
  nothing: 'Nothing to import',
  send: (count: number, isPart: boolean) => `Import ${counted(count, isPart ? 'valid row' : 'row')}`,
  downloadInvalid: (count: number) => `Download ${counted(count, 'invalid row')}`,
  decideFirst: 'First choose what happens to existing rows.',
  problem: 'Problem',
  matchBy: 'Match stored rows by',
  matchNothing: 'Nothing (every row is new)',
  exist: (count: number) =>
    `${counted(count, 'row of the file already exists', 'rows of the file already exist')}. What should happen?`,
  existAndDiffer: (count: number, differing: number) =>
    `${counted(count, 'row of the file already exists', 'rows of the file already exist')}, and ${formatNumber(differing)} would change. What should happen?`,
  decisions: {
    leave: 'Keep the stored values',
    change: 'Replace them with the values of the file',
    add: 'Add as new rows',
  },
  clearsEmpty: (count: number) => `Empty cells clear the stored value (${counted(count, 'cell')})`,
  createReferences: (names: string) => `Create the rows that do not exist yet (${names})`,
  more: (count: number) => ` and ${formatNumber(count)} more`,
  shownRows: 'Rows that are shown',
  preview: 'Preview of the file',
  outcome: 'What happens',
  kinds: {
    all: 'All',
    bad: 'Invalid',
    new: 'New',
    change: 'Changes',
    exists: 'Exists',
    same: 'Unchanged',
    left: 'Kept',
  },
  page: (page: string, last: string) => `Page ${page} of ${last}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  fieldOf: (column: string) => `Field of the column ${column}`,
  formatOf: (column: string) => `Format of the column ${column}`,
  formats: {
    point: '1,234.50',
    comma: '1.234,50',
    dayFirst: 'day, month, year',
    monthFirst: 'month, day, year',
  },
  noField: 'No column of the file is a field. Choose the field of a column.',
  leaveOut: 'Leave out',
  cellOf: (field: string, line: number) => `${field} of row ${line}`,
  progress: {
    checking: (done: number, total: number) => `Checking ${formatNumber(done)} of ${rows(total)}`,
    storing: (done: number, total: number) => `Importing ${formatNumber(done)} of ${rows(total)}`,
    undoing: (done: number, total: number) => `Undoing ${formatNumber(done)} of ${rows(total)}`,
  },
  steps: { checking: 'Checking', storing: 'Importing', undoing: 'Undoing' },
  stored: {
    created: (count: number) => `${rows(count)} stored`,
    changed: (count: number) => `${rows(count)} changed`,
    references: (count: number) => `${counted(count, 'referenced row')} created`,
    left: (count: number) => `${rows(count)} kept as stored`,
    same: (count: number) => `${rows(count)} unchanged`,
  },
  nothingStored: 'Nothing was stored',
  show: (collection: string) => `Show ${collection}`,
  notStored: (count: number, reason: string) => `${rows(count)} not stored: ${reason}`,
  undone: (count: number, kept: number) =>
    `${rows(count)} undone.${kept === 0 ? '' : ` ${rows(kept)} kept, because someone else changed or deleted ${plural(kept, 'it', 'them')}.`}`,
  brokenLine: (problem: string) => `The line ${problem}.`,
  ambiguous: (count: number) => `${rows(count)} in the collection match. Match by another column.`,
  ambiguousName: (name: string, count: number) => `${rows(count)} have the name “${name}”. Use the key.`,
  unknownName: (name: string, collection: string) => `“${name}” does not exist in ${collection}.`,
  sameStoredRow: (line: number) => `Row ${line} changes the same stored row.`,
  repeated: (line: number, label: string) => `Row ${line} has the same ${label}.`,
  noSuchRow: (label: string, value: string, needed: string) =>
    `No row has the ${label} ${value}, and a new row needs ${needed}.`,
  mayNotCreate: (label: string, value: string) => `No row has the ${label} ${value}, and you may not create rows.`,
  mayNotChange: (label: string) => `You may not change ${label}.`,
  changedByOthers: 'Someone else changed it.',
  deletedByOthers: 'Someone else deleted it.',
  tooLarge: (name: string, megabytes: number) =>
    `${name} has more than ${megabytes} MB. Import it on the server: catalogue import FILE.`,
  emptyFile: (name: string) => `${name} is empty.`,
  noRows: (name: string) => `${name} has no rows.`,
  oldExcel: (name: string) => `${name} is in an old Excel format. Save it as .xlsx or CSV, then import it again.`,
  unnamedColumn: (position: number) => `Column ${position}`,
  blankLines: (count: number) => `${counted(count, 'line')} without values skipped.`,
  windows1252: 'The file is not UTF-8 and was read as Windows-1252. Check letters such as ä and é.',
  unreadable: (name: string, problem: string) => `${name} cannot be read: ${problem}.`,
  badWorkbook: (name: string, problem: string) => `${name} cannot be read as a workbook: ${problem}.`,
  sheetRead: (sheet: string, count: number) =>
    `Read from the ${count > 1 ? `first of ${count} sheets` : 'sheet'}, ${sheet}.`,
} as const;

export const exporting = {
  open: 'Export',
  openSelected: (count: string) => `Export ${count} selected`,
  formats: { xlsx: 'Excel (.xlsx)', csv: 'CSV', json: 'JSON' },
  running: (count: string) => `Exporting… ${count}`,
  stop: 'Stop the export',
  done: (count: number) => `${counted(count, 'row')} exported.`,
  tooManyRows: 'A worksheet has at most 1,048,576 rows. Export as CSV, or add a filter.',
} as const;
