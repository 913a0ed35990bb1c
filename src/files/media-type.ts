/** Finds the media type of a file in its first bytes, and compares it with the type that the client names. */
import { ApiError, unlessThrown } from '../base/errors.ts';
import { say } from '../base/sentence.ts';
import { notStored } from './errors.ts';

type Signature = readonly [mediaType: string, offset: number, bytes: string];

/** Signatures as Latin-1 texts. The first match wins. */
const SIGNATURES: readonly Signature[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['audio/wav', 8, 'WAVE'],
  ['application/pdf', 0, '%PDF-'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/ogg', 0, 'OggS'],
  ['application/zip', 0, 'PK\x03\x04'],
];
const SVG = 'image/svg+xml';
const PLAIN = 'text/plain';
const UNKNOWN = 'application/octet-stream';
const KNOWN = new Set([...SIGNATURES.map(([type]) => type), SVG]);

/** Types whose files begin like those of another type. */
const ALIASES: Readonly<Record<string, RegExp>> = {
  'image/jpeg': /^image\/(pjpeg|jpg)$/,
  'audio/wav': /^audio\/(x-wav|wave|vnd\.wave)$/,
  'audio/mpeg': /^audio\/mp3$/,
  'audio/ogg': /^(video|application)\/ogg$|^audio\/opus$/,
  'video/mp4': /^(audio\/(mp4|x-m4a)|video\/(quicktime|x-m4v)|image\/(avif|heic|heif))$/,
  'video/webm': /^(audio\/webm|video\/x-matroska)$/,
  'application/zip': /^application\/(x-zip-compressed|epub\+zip|vnd\.openxmlformats-.*|vnd\.oasis\..*)$/,
  [SVG]: /^(text\/(html|xml|plain)|application\/(xhtml\+)?xml)$/,
  [PLAIN]: /^(text\/.*|application\/(json|xml|yaml|javascript|x-ndjson|.*\+(json|xml)))$/,
};

export const RASTER_IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Types that a browser shows without running code of the file. */
export function isShownInline(mediaType: string): boolean {
  const isMedia = /^(audio|video)\/[\w.+-]+$/.test(mediaType);
  return RASTER_IMAGES.includes(mediaType) || isMedia || mediaType === 'application/pdf';
}

/** `head` is the start of the file, `named` the Content-Type of the client. Rejects a type that does not fit. */
export function findMediaType(head: Uint8Array, named: string | null): string {
  const wanted = (named ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const found = signatureOf(head) ?? (isText(head) ? textType(head) : undefined);
  if (wanted === '' || wanted === UNKNOWN) return found ?? UNKNOWN;
  if (!/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(wanted)) {
    throw new ApiError('CAT415', say`Content-Type: ${named!} is not a media type`, {
      hint: say`Use image/png, for example.`,
    });
  }
  if (wanted === found) return found;
  if (found !== undefined && ALIASES[found]?.test(wanted) === true) return found === 'image/jpeg' ? found : wanted;
  if (found === undefined && !KNOWN.has(wanted) && !wanted.startsWith('text/')) return wanted;
  const problem = say`the file is not ${wanted}: its bytes are ${found ?? say`of an unknown type`}`;
  throw notStored('CAT415', problem, say`Send the Content-Type of the bytes, or none.`);
}

function signatureOf(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 16)).toString('latin1');
  // Nothing but its start is left of a JPEG that breaks off in its metadata. No decoder reads it.
  if (text === '\xff\xd8') return 'image/jpeg';
  return SIGNATURES.find(([type, offset, bytes]) => {
    return text.startsWith(bytes, offset) && (offset !== 8 || text.startsWith('RIFF')) && type !== '';
  })?.[0];
}

/** The first bytes are text if they are UTF-8 without control characters; the last character may be cut. */
function isText(head: Uint8Array): boolean {
  const part = head.subarray(0, 65_536);
  if (part.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13)) return false;
  return unlessThrown(() => new TextDecoder('utf-8', { fatal: true }).decode(part, { stream: true })) !== undefined;
}

/** The element may follow an XML declaration, comments and a document type. */
function textType(head: Uint8Array): string {
  const start = new TextDecoder().decode(head.subarray(0, 4_096));
  return /^\s*</.test(start) && /<svg[\s>]/i.test(start) ? SVG : PLAIN;
}
