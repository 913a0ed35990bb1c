/**
 * File descriptors: the number that are open, and the limit. Without free descriptors Bun crashes when it starts a
 * thread or builds a page, so both check here first.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { ApiError } from '../errors.ts';
import { DESCRIPTORS_FOR_FILES } from '../limits/http.ts';

const FOLDER = '/proc/self/fd';

/** Read at start, since reading needs a free descriptor. */
const limit = readLimit();

function readLimit(): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) || undefined;
  } catch {
    return undefined;
  }
}

/** Undefined on systems other than Linux. */
export function descriptors(): { readonly open: number; readonly limit: number } | undefined {
  if (limit === undefined) return undefined;
  // Since Linux 6.2, the size of the folder is the number of its entries.
  return { open: statSync(FOLDER).size || countEntries(limit), limit };
}

function countEntries(otherwise: number): number {
  try {
    return readdirSync(FOLDER).length;
  } catch {
    // No descriptor is left to read the folder.
    return otherwise;
  }
}

/** Throws if so few are left that opening files could crash the process. */
export function requireDescriptors(): void {
  const openDescriptors = descriptors();
  if (openDescriptors === undefined || openDescriptors.limit - openDescriptors.open >= DESCRIPTORS_FOR_FILES) return;
  throw new ApiError('CAT503', 'too many connections are open', {
    details: 'Hardly any file descriptors are left.',
    hint: 'Try again in a moment; whoever runs the service can raise its limit of open files.',
    headers: { 'retry-after': '1' },
    cause: `${openDescriptors.open} of ${openDescriptors.limit} file descriptors are open`,
  });
}
