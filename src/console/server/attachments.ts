// Attachments that clients uploaded to the server of this page.
import { useQuery } from '@tanstack/react-query';
import { readJson, send, serverAddress } from './request.js';
import { sharedExperiment } from './shared.js';

interface Answer {
  readonly downloadUrl: string;
  readonly status: {
    readonly upload_status: 'uploading' | 'done' | 'error';
    readonly error_message?: string;
  };
}

export type Stored =
  | { readonly state: 'done'; readonly url: string; readonly bytes: number }
  | { readonly state: 'uploading' }
  /** The client reported that the upload failed. */
  | { readonly state: 'error'; readonly message: string };

/** URLs of downloads are valid for an hour. */
const validMs = 3_000_000;

function attachmentPath(): string {
  const id = sharedExperiment();
  return id === null ? '/attachment' : `/v1/experiment/${encodeURIComponent(id)}/attachment`;
}

async function find(key: string, filename: string, signal: AbortSignal): Promise<Stored> {
  const query = new URLSearchParams({ key, filename });
  const { downloadUrl, status } = await readJson<Answer>(
    `${attachmentPath()}?${query.toString()}`,
    {
      signal,
    },
  );
  const { upload_status: state, error_message: message = '' } = status;
  if (state === 'uploading') return { state };
  if (state === 'error') return { state, message };
  const path = `/attachment/download${new URL(downloadUrl).search}`;
  const head = await send(path, { method: 'HEAD', signal, half: null });
  return {
    state,
    url: serverAddress + path,
    bytes: Number(head.headers.get('content-length') ?? 0),
  };
}

/** @param isWanted false until the attachment is visible */
export const useStored = (key: string, filename: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['attachment', key, filename],
    queryFn: ({ signal }) => find(key, filename, signal),
    enabled: isWanted,
    staleTime: validMs,
    refetchInterval: validMs,
  });
