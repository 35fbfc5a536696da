// An image or a player. Only types that cannot contain scripts have one.
import { useState } from 'react';

const imageTypes: ReadonlySet<string> = new Set(
  ['png', 'jpeg', 'jpg', 'gif', 'webp', 'avif'].map((subtype) => `image/${subtype}`),
);

function kindOf(contentType: string): 'image' | 'audio' | 'video' | null {
  if (imageTypes.has(contentType)) return 'image';
  if (contentType.startsWith('audio/')) return 'audio';
  return contentType.startsWith('video/') ? 'video' : null;
}

/** The maximum size of a file that is previewed, in bytes. Players read files of any size in parts. */
const imageMax = 50 * 2 ** 20;

export const hasPreview = (contentType: string, bytes: number): boolean => {
  const kind = kindOf(contentType);
  return kind !== null && (kind !== 'image' || bytes <= imageMax);
};

interface PreviewProps {
  readonly name: string;
  readonly contentType: string;
  /** Null until it is known: an image has a place of usual height then. */
  readonly url: string | null;
}

interface ImageProps {
  readonly name: string;
  readonly url: string;
  readonly onError: () => void;
}

function Image({ name, url, onError }: ImageProps) {
  const [isWhole, setWhole] = useState(false);
  return (
    <button
      type="button"
      className={`picture ${isWhole ? 'whole' : ''}`}
      aria-label={`${isWhole ? 'Reduce' : 'Enlarge'} ${name}`}
      onClick={() => setWhole(!isWhole)}
    >
      <img src={url} alt={name} onError={onError} />
    </button>
  );
}

export function Preview({ name, contentType, url }: PreviewProps) {
  const [isBroken, setBroken] = useState(false);
  const kind = kindOf(contentType);
  if (url === null) return kind === 'image' ? <div className="picture-place" /> : null;
  const onError = () => setBroken(true);
  const player = {
    src: url,
    controls: true,
    preload: 'none',
    'aria-label': name,
    onError,
  } as const;
  if (isBroken)
    return <p className="muted">The browser cannot show this content as {contentType}.</p>;
  if (kind === 'image') return <Image name={name} url={url} onError={onError} />;
  return kind === 'audio' ? <audio {...player} /> : <video {...player} />;
}
