/** Uploads: the raw bytes of one file, or a form with several. */
import { ApiError } from '../base/errors.ts';
import { MAX_FILES_PER_UPLOAD } from '../base/limits/files.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import { checkEncoding } from '../http/body/body-receiver.ts';
import type { RequestContext } from '../response/request-context.ts';
import { cleanName, nameIn } from './file-name.ts';
import { type HeaderValue, readHeaderValue, readUtf8Header } from './header-parameters.ts';
import { inspectImage } from './image.ts';
import { findMediaType, RASTER_IMAGES } from './media-type.ts';
import { readParts } from './multipart.ts';
import { type Limits, ReceivedFile } from './receive.ts';
import type { FileStore, NewFile, UploadedFile } from './store.ts';

export interface Received {
  readonly files: readonly UploadedFile[];
  /** Whether the body is a form, whose answer is a list. */
  readonly isForm: boolean;
}

/** Receives all files of a body. They become visible when the store adds them; after an error nothing remains. */
export async function receiveFiles(
  store: FileStore,
  limits: Limits,
  request: Request,
  context: RequestContext,
): Promise<Received> {
  const { headers, body } = request;
  checkEncoding(headers.get('content-encoding'));
  if (parsePrefer(headers.get('prefer')).tx === 'rollback') {
    throw new ApiError('PGRST127', 'an upload cannot be rolled back', { hint: 'Leave out Prefer: tx=rollback.' });
  }
  const type = readHeaderValue(headers.get('content-type'));
  const isForm = type.value === 'multipart/form-data';
  const reader = new BodyReader(body);
  const files: UploadedFile[] = [];
  const receive = async (bytes: AsyncIterable<Uint8Array>, contentType: string | null, disposition: HeaderValue) => {
    const { actor } = context.origin;
    files.push(await receiveFile(store, limits, bytes, { name: nameIn(disposition.parameters), contentType, actor }));
  };
  try {
    if (!isForm) {
      await receive(reader, headers.get('content-type'), readUtf8Header(headers.get('content-disposition')));
      return { files, isForm };
    }
    for await (const { disposition, contentType, bytes } of readParts(reader, boundaryOf(type))) {
      // A form may have other fields, and a file input without a file.
      const name = nameIn(disposition.parameters);
      if (name === undefined || name === '') continue;
      if (files.length === MAX_FILES_PER_UPLOAD) throw tooMany();
      await receive(bytes, contentType, disposition);
    }
    if (files.length > 0) return { files, isForm };
    throw new ApiError('PGRST102', 'the form has no file', { hint: 'Add one, as curl -F file=@photo.jpg does.' });
  } catch (error) {
    reader.cancel();
    await Promise.allSettled(files.map(({ upload }) => upload.discard()));
    throw error;
  }
}

interface FileOrigin {
  readonly name: string | undefined;
  /** The media type that the client names. */
  readonly contentType?: string | null;
  readonly actor?: string | undefined;
}

/** Receives one file. After an error nothing of it remains. */
export async function receiveFile(
  store: FileStore,
  limits: Limits,
  bytes: AsyncIterable<Uint8Array>,
  { name, contentType = null, actor }: FileOrigin,
): Promise<UploadedFile> {
  const upload = new ReceivedFile(store, limits);
  try {
    let mediaType = '';
    const sha256 = await upload.receive(bytes, (head) => {
      mediaType = findMediaType(head, contentType);
    });
    const image = RASTER_IMAGES.includes(mediaType) ? await inspectImage(await upload.whole()) : undefined;
    const file: NewFile = {
      id: crypto.randomUUID(),
      name: cleanName(name),
      media_type: mediaType,
      size: upload.size,
      sha256,
      width: image?.width ?? null,
      height: image?.height ?? null,
      placeholder: image?.placeholder ?? null,
      created_at: new Date().toISOString(),
      created_by: actor ?? null,
    };
    return { file, upload };
  } catch (error) {
    await upload.discard().catch(() => undefined);
    throw error;
  }
}

function boundaryOf({ parameters }: HeaderValue): string {
  const boundary = parameters.get('boundary') ?? '';
  if (/^[ -~]{1,70}$/.test(boundary)) return boundary;
  throw new ApiError('PGRST102', 'Content-Type: multipart/form-data has no valid boundary', {
    hint: 'Let the HTTP client set this header.',
  });
}

function tooMany(): ApiError {
  return new ApiError('54000', `one request may have ${MAX_FILES_PER_UPLOAD} files`, {
    details: 'Nothing was stored.',
    hint: 'Send the files in several requests.',
  });
}

/** The bytes of a body as they arrive. */
class BodyReader implements AsyncIterable<Uint8Array> {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(body: ReadableStream<Uint8Array> | null) {
    this.reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.reader === undefined) return;
    for (;;) {
      const { done, value } = await this.reader.read().catch(() => {
        throw new ApiError('PGRST102', 'the request body broke off', { details: 'Nothing was stored.' });
      });
      if (done) return;
      yield value;
    }
  }

  cancel(): void {
    void this.reader?.cancel().catch(() => undefined);
  }
}
