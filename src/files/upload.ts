/** Uploads: the raw bytes of one file, or a form with several. */
import { ApiError } from '../base/errors.ts';
import { MAX_FILES_PER_UPLOAD } from '../base/limits/files.ts';
import { checkEncoding } from '../http/body/body-receiver.ts';
import { IncomingBody } from '../http/body/incoming-body.ts';
import type { RequestContext } from '../response/request-context.ts';
import { cleanName, type HeaderValue, nameIn, readHeaderValue, readUtf8Header } from './content-disposition.ts';
import { notStored } from './errors.ts';
import { inspectImage } from './image.ts';
import { findMediaType, RASTER_IMAGES } from './media-type.ts';
import { stripMetadata } from './metadata/strip.ts';
import { readParts } from './multipart.ts';
import { type Limits, ReceivedFile, tooSlow, type UploadBudget, type UploadInProgress } from './receive.ts';
import type { FileStore, NewFile, UploadedFile } from './store.ts';

export interface Received {
  readonly files: readonly UploadedFile[];
  /** Whether the body is a form, whose answer is a list. */
  readonly isForm: boolean;
  /** Ends when the files are stored. */
  readonly upload: UploadInProgress;
}

/** Receives all files of a body. They become visible when the store adds them; after an error nothing remains. */
export async function receiveFiles(
  store: FileStore,
  limits: Limits,
  context: RequestContext,
  { budget, keepMetadata }: { readonly budget: UploadBudget; readonly keepMetadata: boolean },
): Promise<Received> {
  const { call, requester: caller } = context;
  checkEncoding(call.contentEncoding);
  if (call.preferences.tx === 'rollback') {
    throw new ApiError('PGRST127', 'an upload cannot be rolled back', { hint: 'Leave out Prefer: tx=rollback.' });
  }
  const type = readHeaderValue(call.contentType);
  const isForm = type.value === 'multipart/form-data';
  const reader = new IncomingBody(call.stream, { dropped: tooSlow, details: 'Nothing was stored.' });
  const upload = budget.begin(caller, reader);
  const files: UploadedFile[] = [];
  const receive = async (bytes: AsyncIterable<Uint8Array>, contentType: string | null, disposition: HeaderValue) => {
    const { actor } = context.origin;
    const owner = context.caller?.identity;
    const name = nameIn(disposition.parameters);
    const origin = { name, contentType, actor, owner, caller, keepMetadata, upload };
    files.push(await receiveFile(store, limits, bytes, origin));
  };
  try {
    if (!isForm) {
      await receive(reader, call.contentType, readUtf8Header(call.contentDisposition));
      return { files, isForm, upload };
    }
    for await (const { disposition, contentType, bytes } of readParts(reader, boundaryOf(type))) {
      // A form may have other fields, and a file input without a file.
      const name = nameIn(disposition.parameters);
      if (name === undefined || name === '') continue;
      if (files.length === MAX_FILES_PER_UPLOAD)
        throw notStored('54000', TOO_MANY, 'Send the files in several requests.');
      await receive(bytes, contentType, disposition);
    }
    if (files.length > 0) return { files, isForm, upload };
    throw new ApiError('PGRST102', 'the form has no file', { hint: 'Add one, as curl -F file=@photo.jpg does.' });
  } catch (error) {
    reader.cancel();
    upload.end();
    await Promise.allSettled(files.map(({ upload }) => upload.discard()));
    throw error;
  }
}

interface FileOrigin {
  readonly name: string | undefined;
  /** The media type that the client names. */
  readonly contentType?: string | null;
  readonly actor?: string | undefined;
  readonly owner?: string | undefined;
  /** Whether a picture keeps its place, time and other metadata. */
  readonly keepMetadata?: boolean;
  /** Whom the limits of decoding count for. */
  readonly caller?: string;
  readonly upload?: UploadInProgress;
}

/** Receives one file. After an error nothing of it remains. */
export async function receiveFile(
  store: FileStore,
  limits: Limits,
  bytes: AsyncIterable<Uint8Array>,
  { name, contentType = null, actor, owner, caller = '', keepMetadata = false, upload: progress }: FileOrigin,
): Promise<UploadedFile> {
  const upload = new ReceivedFile(store, limits, progress);
  try {
    let mediaType = '';
    const findType = (head: Buffer) => {
      mediaType = findMediaType(head, contentType);
    };
    const sha256 = await upload.receive(bytes, findType, keepMetadata ? undefined : stripMetadata);
    const image = RASTER_IMAGES.includes(mediaType)
      ? await inspectImage(caller, upload.head, () => upload.whole())
      : undefined;
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
      owner: owner ?? null,
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

const TOO_MANY = `one request may have ${MAX_FILES_PER_UPLOAD} files`;
