/** Addresses of stored files. */
import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/client.ts';
import { encodeValue, quoted } from '../api/filter-text.ts';
import { base } from '../api/page-data.ts';
import { token } from '../api/token.ts';

const FILES = '/catalogue/files';
/** A signed URL lasts an hour; a new one is requested earlier. */
const SIGNED_MS = 50 * 60_000;

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
}

/** The address of a file, or of its picture within a square of this size; undefined while it is requested. */
export function useFileAddress(id: string, size?: number, name = 'file'): string | undefined {
  // A picture element sends the cookie of a session, but no token. It needs a signed URL.
  const isSigned = token.get() !== null;
  const { data } = useQuery({
    queryKey: ['files', 'signed', id],
    queryFn: async () => ((await ask(`${FILES}/${id}/sign`, { method: 'POST' })).json as { url: string }).url,
    enabled: isSigned,
    staleTime: SIGNED_MS,
    gcTime: SIGNED_MS,
  });
  const path = isSigned ? data : `${FILES}/${encodeURIComponent(id)}/${encodeURIComponent(name)}`;
  if (path === undefined || size === undefined) return path && `${base}${path}`;
  return `${base}${path}${path.includes('?') ? '&' : '?'}width=${size}&height=${size}`;
}

/** Names and types of files, by id. */
export function useFiles(ids: readonly string[]): ReadonlyMap<string, StoredFile> {
  const { data } = useQuery({
    queryKey: ['files', 'rows', ...ids],
    queryFn: async ({ signal }) => {
      const filter = `id=in.(${encodeValue(ids.map(quoted).join(','))})`;
      const { json } = await ask(`${FILES}?select=id,name,media_type,size&${filter}`, { signal });
      return new Map((json as readonly StoredFile[]).map((file) => [file.id, file]));
    },
    enabled: ids.length > 0,
    placeholderData: (before) => before,
    staleTime: SIGNED_MS,
  });
  return data ?? new Map();
}

/** Stores files. A row refers to them when it is saved. The service removes a file without a row after a day. */
export async function uploadFiles(files: readonly File[]): Promise<readonly StoredFile[]> {
  const body = new FormData();
  for (const [at, file] of files.entries()) body.append(`file${at}`, file, file.name || 'file');
  return (await ask(FILES, { method: 'POST', body })).json as readonly StoredFile[];
}
