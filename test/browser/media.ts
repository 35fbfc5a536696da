// Small files that browsers show and play, and whether they do.
import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const result = Buffer.alloc(8 + body.length);
  result.writeUInt32BE(data.length, 0);
  body.copy(result, 4);
  result.writeUInt32BE(crc32(body), 4 + body.length);
  return result;
}

/** A picture in one shade of grey. */
export function png(width: number, height: number, grey = 128): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const line = Buffer.alloc(width + 1, grey);
  line[0] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array<Buffer>(height).fill(line)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A second of silence. */
export function wav(): Buffer {
  const head = Buffer.from('RIFF....WAVEfmt ....................data....', 'latin1');
  const rate = 8000;
  head.writeUInt32LE(36 + rate, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.writeUInt32LE(rate, 40);
  return Buffer.concat([head, Buffer.alloc(rate, 128)]);
}

// What is used of the elements of the page, which this compiler does not know.
interface ImageElement {
  readonly decode: () => Promise<void>;
  readonly naturalWidth: number;
}
interface AudioElement extends EventTarget {
  muted: boolean;
  readonly duration: number;
  readonly play: () => Promise<void>;
}

/** Waits until the image is decoded. */
export const expectImage = async (image: Locator, width: number): Promise<void> => {
  await image.waitFor();
  const decoded = await image.evaluate<number, ImageElement>((one) =>
    one.decode().then(() => one.naturalWidth),
  );
  expect(decoded).to.equal(width);
};

/** Plays it to its end. */
export const playedSeconds = (player: Locator): Promise<number> =>
  player.evaluate<number, AudioElement>(
    (audio) =>
      new Promise((resolve) => {
        audio.muted = true;
        audio.addEventListener('ended', () => resolve(audio.duration));
        void audio.play();
      }),
  );
