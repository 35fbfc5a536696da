// A file in a logged value: its name, type, size or state, a preview, and its download. It is read when it becomes visible.
import { useEffect, useState, type ReactNode, type Ref } from 'react';
import { bytesText } from '../../kit/format.js';
import { useStored } from '../../server/attachments.js';
import { Refusal } from '../../server/request.js';
import type { Attachment } from './attachments.js';
import { blobOf, bytesIn } from './file-content.js';
import { hasPreview, Preview } from './preview.js';
import { useVisible } from '../../kit/use-visible.js';

interface CardProps {
  readonly attachment: Attachment;
  /** Where it is in its value; empty if that is obvious. */
  readonly path: string;
  /** In bytes; null if unknown. */
  readonly bytes: number | null;
  readonly download?: ReactNode;
  readonly frame?: Ref<HTMLElement>;
  readonly children?: ReactNode;
}

function Card({ attachment, path, bytes, download, frame, children }: CardProps) {
  const { name, contentType } = attachment;
  const details = [path, contentType, bytes === null ? '' : bytesText(bytes)];
  return (
    <figure className="attachment" ref={frame}>
      <figcaption>
        <bdi className="cut" title={name}>
          {name}
        </bdi>
        <span className="muted cut">{details.filter((text) => text !== '').join(' · ')}</span>
        {download}
      </figcaption>
      {children}
    </figure>
  );
}

interface Props {
  readonly attachment: Attachment;
  readonly path: string;
}

/** The server does not say whether there is an attachment that the user may not read, or whether the key is one. */
const refusalText = (error: Error): string =>
  error instanceof Refusal && error.status === 400
    ? 'There is no such attachment, or you may not read it.'
    : error.message;

function Stored({ storageKey, ...props }: Props & { readonly storageKey: string }) {
  const { name, contentType } = props.attachment;
  const [frame, isVisible] = useVisible<HTMLElement>();
  const { data, error, isFetching, refetch } = useStored(storageKey, name, isVisible);
  const isDone = data?.state === 'done';
  const isPending = data === undefined && error === null;
  const bytes = isDone ? data.bytes : null;
  const download = isDone && (
    <a className="button small" href={data.url} download={name} aria-label={`Download ${name}`}>
      Download
    </a>
  );
  return (
    <Card {...props} bytes={bytes} frame={frame} download={download}>
      {(isDone || isPending) && hasPreview(contentType, bytes ?? 0) && (
        <Preview name={name} contentType={contentType} url={isDone ? data.url : null} />
      )}
      {data?.state === 'error' && (
        <p className="bad">Its upload failed{data.message === '' ? '' : `: ${data.message}`}</p>
      )}
      {error !== null && <p className="bad">{refusalText(error)}</p>}
      {data?.state === 'uploading' && (
        <p className="muted">
          It is not uploaded yet.{' '}
          <button
            type="button"
            className="small"
            disabled={isFetching}
            onClick={() => void refetch()}
          >
            Check again
          </button>
        </p>
      )}
    </Card>
  );
}

/** Returns whether there is a content to save. */
function saveBlob(blob: Blob | null, name: string): boolean {
  if (blob === null) return false;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return true;
}

/** The URL of the decoded content while it is shown; undefined if the base64 is broken. */
function useBlobUrl(base64: string, contentType: string, isWanted: boolean) {
  const [url, setUrl] = useState<string | null | undefined>(null);
  useEffect(() => {
    if (!isWanted) return undefined;
    const blob = blobOf(base64, contentType);
    const created = blob === null ? undefined : URL.createObjectURL(blob);
    setUrl(created);
    return () => {
      if (created !== undefined) URL.revokeObjectURL(created);
    };
  }, [base64, contentType, isWanted]);
  return url;
}

function Inline({ base64, ...props }: Props & { readonly base64: string }) {
  const { name, contentType } = props.attachment;
  const [frame, isVisible] = useVisible<HTMLElement>();
  const [isRefused, setRefused] = useState(false);
  const bytes = bytesIn(base64);
  const isShown = hasPreview(contentType, bytes);
  const url = useBlobUrl(base64, contentType, isVisible && isShown);
  const download = (
    <button
      type="button"
      className="small"
      aria-label={`Download ${name}`}
      onClick={() => setRefused(!saveBlob(blobOf(base64, contentType), name))}
    >
      Download
    </button>
  );
  return (
    <Card {...props} bytes={bytes} frame={frame} download={download}>
      {url !== undefined && isShown && <Preview name={name} contentType={contentType} url={url} />}
      {(url === undefined || isRefused) && <p className="bad">Its base64 is broken.</p>}
    </Card>
  );
}

const webAddress = (url: string): URL | null =>
  /^https?:/i.test(url) && URL.canParse(url) ? new URL(url) : null;

/** Not loaded, since the other server would learn who looks at what. */
function Elsewhere({ url, ...props }: Props & { readonly url: string }) {
  const address = webAddress(url);
  return (
    <Card {...props} bytes={null}>
      <p className="muted">
        It is stored elsewhere and not loaded:{' '}
        {address === null ? (
          <bdi>{url}</bdi>
        ) : (
          <a href={address.href} target="_blank" rel="noreferrer noopener" title={address.href}>
            open it at {address.host}
          </a>
        )}
      </p>
    </Card>
  );
}

/** What was learned about one content, such as that it is broken, is not kept for another one. */
export function AttachmentCard({ attachment, path }: Props) {
  const { content } = attachment;
  const props = { attachment, path };
  if (content.kind === 'stored')
    return <Stored key={content.key} {...props} storageKey={content.key} />;
  if (content.kind === 'inline')
    return <Inline key={content.base64} {...props} base64={content.base64} />;
  return <Elsewhere {...props} url={content.url} />;
}
