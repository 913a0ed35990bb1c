/** Stored files: addresses, pictures, uploads, and lists of ids. */
import { useQuery } from '@tanstack/react-query';
import { ask, send } from '../api/client.ts';
import { encodeValue, quoted } from '../api/query/text.ts';
import { base } from '../api/session/page-data.ts';
import { token } from '../api/session/session.ts';

const FILES = '/catalogue/files';

const pathOfFile = (id: string, name = 'file') => `${FILES}/${encodeURIComponent(id)}/${encodeURIComponent(name)}`;

/** The whole address of a file, for other programs. */
export const fileAddress = (id: string): string => new URL(`${base}${pathOfFile(id)}`, location.href).href;

export interface StoredFile {
  readonly id: string;
  readonly name: string;
}

/** The address of a file, or of its picture within a square of this size; undefined while it loads. */
export function useFileAddress(id: string, size?: number, name?: string): string | undefined {
  const path = pathOfFile(id, name);
  const wanted = size === undefined ? path : `${path}?width=${size}&height=${size}`;
  // A picture element sends the cookie of a session, but no token. The page then loads the bytes itself.
  const hasToken = token.get() !== undefined;
  const { data } = useQuery({
    queryKey: ['files', 'bytes', wanted],
    queryFn: async ({ signal }) => {
      const response = await send(wanted, { headers: { accept: '*/*' }, signal });
      return URL.createObjectURL(await response.blob());
    },
    enabled: hasToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return hasToken ? data : `${base}${wanted}`;
}

/** Names and types of files, by id. */
export function useFiles(ids: readonly string[]): ReadonlyMap<string, StoredFile> {
  const { data } = useQuery({
    queryKey: ['files', 'rows', ...ids],
    queryFn: async ({ signal }) => {
      const filter = `id=in.(${encodeValue(ids.map(quoted).join(','))})`;
      const { json } = await ask(`${FILES}?select=id,name&${filter}`, { signal });
      return new Map((json as readonly StoredFile[]).map((file) => [file.id, file]));
    },
    enabled: ids.length > 0,
    placeholderData: (before) => before,
    // A stored file never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? new Map();
}

/** Stores files. A row refers to them when it is saved. The service removes a file without a row after a day. */
export async function uploadFiles(files: readonly File[]): Promise<readonly StoredFile[]> {
  const body = new FormData();
  for (const [at, file] of files.entries()) body.append(`file${at}`, file, file.name || 'file');
  return (await ask(FILES, { method: 'POST', body })).json as readonly StoredFile[];
}

/** The ids of a list as text, separated by commas. */
export const splitIds = (text: string): readonly string[] => text.split(/[\s,]+/).filter((id) => id !== '');

export const joinIds = (ids: readonly string[]): string => ids.join(', ');

/** The list with one element moved to another place. */
export function moved<Of>(list: readonly Of[], from: number, to: number): readonly Of[] {
  if (from === to || to < 0 || to >= list.length) return list;
  return list.toSpliced(from, 1).toSpliced(to, 0, list[from]!);
}

interface PictureProps {
  readonly id: string;
  readonly size: number;
  readonly alt: string;
  readonly className: string;
}

/** A stored picture. Its size is that of the square that contains it. */
export function Picture({ id, size, alt, className }: PictureProps) {
  // Screens with more pixels get a larger picture.
  const address = useFileAddress(id, Math.ceil(size * Math.min(globalThis.devicePixelRatio ?? 1, 2)));
  if (address === undefined) return <span className={`${className} bar`} />;
  return <img className={className} src={address} alt={alt} loading="lazy" />;
}
