/** Saves a download under a name that is chosen before the content arrives. */

/** The File System Access API (https://wicg.github.io/file-system-access/). Not every browser has it. */
interface Picker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<{ createWritable: () => Promise<WritableStream<Uint8Array> & { abort(): Promise<void> }> }>;
}

export type Target = (content: ReadableStream<Uint8Array>, type: string) => Promise<void>;

/**
 * Opens the target of a download. A large file is streamed to the disk if the browser can do that: it asks for the
 * location, and undefined means that the person cancelled. Other files are collected in a Blob, which the browser keeps
 * on disk if it is large.
 */
export async function chooseTarget(name: string, isLarge: boolean): Promise<Target | undefined> {
  const { showSaveFilePicker } = globalThis as Picker;
  if (!isLarge || showSaveFilePicker === undefined) {
    return async (content, type) => downloadBlob(await blobOf(content, type), name);
  }
  try {
    const file = await showSaveFilePicker({ suggestedName: name });
    return async (content) => content.pipeTo(await file.createWritable());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

function blobOf(content: ReadableStream<Uint8Array>, type: string): Promise<Blob> {
  return new Response(content, { headers: { 'content-type': type } }).blob();
}

export function downloadBlob(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A file name with the local date: `products-2026-11-16.csv`. */
export function datedName(what: string, extension: string, now = new Date()): string {
  const part = (number: number) => String(number).padStart(2, '0');
  return `${what}-${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}.${extension}`;
}
