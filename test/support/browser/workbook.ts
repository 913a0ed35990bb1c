/** Workbooks in the form that Excel writes: shared strings, dates as formatted numbers, and compressed parts. */
import { crc32, deflateRawSync } from 'node:zlib';

type Cell = string | number | boolean | undefined | { readonly date: string };

const MS_PER_DAY = 86_400_000;
const PLAIN_STYLE = 0;
const DATE_STYLE = 1;
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Creates a workbook with two sheets of these rows. `merged` is a range of the first one, such as `A2:A3`. */
export function workbook(
  name: string,
  rows: readonly (readonly Cell[])[],
  { other = [], merged }: { readonly other?: readonly (readonly Cell[])[]; readonly merged?: string } = {},
): Uint8Array {
  const strings: string[] = [];
  const sheetXml = (of: readonly (readonly Cell[])[], more = '') => {
    const lines = of.map(
      (row, at) =>
        `<row r="${at + 1}">${row.map((cell, column) => cellXml(cell, `${letter(column)}${at + 1}`, strings)).join('')}</row>`,
    );
    return `<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData>${more}</worksheet>`;
  };
  const merge = merged === undefined ? '' : `<mergeCells count="1"><mergeCell ref="${merged}"/></mergeCells>`;
  const [first, second] = [sheetXml(rows, merge), sheetXml(other)];
  return zip({
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${name}" sheetId="1" r:id="rId7"/><sheet name="Other" sheetId="2" r:id="rId8"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId8" Target="worksheets/sheet2.xml"/><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si><r><t>${text.slice(0, 2)}</t></r><r><t xml:space="preserve">${text.slice(2)}</t></r></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': first,
    'xl/worksheets/sheet2.xml': second,
  });
}

const letter = (column: number) => String.fromCharCode(65 + column);

function cellXml(cell: Cell, place: string, strings: string[]): string {
  const xml = (type: string, value: unknown, style = PLAIN_STYLE) =>
    `<c r="${place}" t="${type}" s="${style}"><v>${value}</v></c>`;
  if (cell === undefined) return '';
  if (typeof cell === 'number') return xml('n', cell);
  if (typeof cell === 'boolean') return xml('b', Number(cell));
  if (typeof cell === 'object')
    return xml(
      'n',
      (Date.parse(`${cell.date}${cell.date.length === 10 ? 'T00:00:00' : ''}Z`) - Date.UTC(1899, 11, 30)) / MS_PER_DAY,
      DATE_STYLE,
    );
  return xml('s', strings.push(cell.replaceAll('&', '&amp;')) - 1);
}

function zip(parts: Readonly<Record<string, string>>): Uint8Array {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const content = Buffer.from(HEAD + text);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(centrals.length, 8);
  end.writeUInt16LE(centrals.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
