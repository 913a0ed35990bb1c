/** Describes file system errors in words. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'the file or folder does not exist',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EISDIR: 'it is a folder, and not a file',
  ENOTDIR: 'a part of its path is a file, and not a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk cannot be written to',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
};

/** An unknown error keeps the system's message. */
export function fileProblem(error: unknown): string {
  const { code = '', message = String(error) } = error as { readonly code?: string; readonly message?: string };
  return WORDS[code] ?? message;
}
