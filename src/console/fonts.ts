/**
 * The font of the console: Inter, reduced to Latin letters and to the weights that it uses, so that it looks the same
 * everywhere. Letters beyond those of most languages are in a file of their own, which browsers load when they need it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StoredFile, storeFile } from '../http/stored-file.ts';

const PACKAGE = '@fontsource-variable/inter/package.json';
const WEIGHTS = { min: 400, max: 700, default: 400 };

/** By the name of a subset of the package: the characters to keep. */
const RANGES: Readonly<Record<string, string>> = {
  latin: 'U+20-7E,U+A0-FF,U+131,U+152-153,U+2C6,U+2DA,U+2DC,U+2013-2026,U+2039-203A,U+20AC,U+2122,U+2191-2193,U+2212',
  'latin-ext': 'U+100-130,U+132-151,U+154-17F,U+218-21B,U+1E9E,U+20A4,U+20BA,U+20BD',
};

type Subset = (font: Buffer, text: string, options: object) => Promise<Uint8Array<ArrayBuffer>>;

/** The copyright, the licence and its address, in the file itself. */
const LICENCE_NAMES = [0, 13, 14];

/** The fonts and their licence, by file name. The packages are development packages, which no executable contains. */
export async function buildFonts(folder: string): Promise<ReadonlyMap<string, StoredFile>> {
  const { default: subset } = (await import(Bun.resolveSync('subset-font', folder))) as { default: Subset };
  const files = join(Bun.resolveSync(PACKAGE, folder), '../files');
  const fonts = Object.entries(RANGES).map(async ([name, ranges]) => {
    const font = readFileSync(join(files, `inter-${name}-wght-normal.woff2`));
    const bytes = await subset(font, charactersIn(ranges), {
      targetFormat: 'woff2',
      variationAxes: { wght: WEIGHTS },
      preserveNameIds: LICENCE_NAMES,
    });
    const hash = Bun.hash(bytes).toString(36);
    return [`inter-${name}-${hash}.woff2`, storeFile(new Uint8Array(bytes), 'font/woff2')] as const;
  });
  const licence = storeFile(await Bun.file(join(files, '../LICENSE')).text(), 'text/plain; charset=utf-8');
  return new Map([...(await Promise.all(fonts)), ['inter-licence.txt', licence]]);
}

function charactersIn(ranges: string): string {
  return ranges
    .split(',')
    .flatMap((range) => {
      const [first, last = first] = range
        .slice(2)
        .split('-')
        .map((digits) => Number.parseInt(digits, 16));
      return Array.from({ length: last! - first! + 1 }, (_, at) => String.fromCodePoint(first! + at));
    })
    .join('');
}

/**
 * The style of a page with these fonts. Until they are loaded, a font of the system has the same width, so that nothing
 * moves.
 */
export function fontStyle(paths: readonly string[]): string {
  const faces = paths.map((path) => {
    const [, name = ''] = /inter-([a-z-]+)-\w+\.woff2$/.exec(path) ?? [];
    return `@font-face{font-family:Inter;src:url("${path}")format("woff2");font-weight:400 700;font-display:swap;unicode-range:${RANGES[name]}}`;
  });
  return `${faces.join('\n')}
@font-face{font-family:"Inter until loaded";src:local("Arial"),local("Liberation Sans");size-adjust:107%;ascent-override:90%;descent-override:22.5%;line-gap-override:0%}`;
}
