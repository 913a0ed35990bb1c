/** A file on its way to the disk, named before its content has come. */

/** What the browser asks where to save with (https://wicg.github.io/file-system-access/); not every browser has it. */
interface Picker {
  showSaveFilePicker?: (options: {
    suggestedName: string;
  }) => Promise<{ createWritable: () => Promise<WritableStream<Uint8Array> & { abort(): Promise<void> }> }>;
}

export type Target = (content: ReadableStream<Uint8Array>, type: string) => Promise<void>;

/**
 * Where the file goes. A large one is written to the disk as it comes, where the browser can do that; it asks for the place then,
 * and undefined says that the person gave up. Any other is gathered as a Blob, which the browser keeps on disk if it is long.
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

/** `products-2026-11-16.csv`: what it is and when it was so, by the clock of whoever asks. */
export function datedName(what: string, extension: string, now = new Date()): string {
  const part = (number: number) => String(number).padStart(2, '0');
  return `${what}-${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}.${extension}`;
}
