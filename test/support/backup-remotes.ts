// The two kinds of places that backups go to, for tests that run on both.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { bucketName, bucketService } from './bucket-service.js';
import { temporaryDirectory } from './temporary-directory.js';

export interface BackupRemote {
  /** What the command is given. */
  readonly target: string;
  /** The file on disk that holds one of the backups' files. */
  fileOf(key: string): string;
  /** The names of all files of the backups. */
  keys(): readonly string[];
}

const filesIn = (directory: string): readonly string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    : [];

/** Call `prepare` inside `describe`; what it returns gives the remote of the current test, empty at first. */
export const backupRemotes: readonly {
  readonly kind: string;
  readonly prepare: () => () => BackupRemote;
}[] = [
  {
    kind: 'a directory',
    prepare: () => {
      const directory = temporaryDirectory();
      return () => {
        const target = path.join(directory(), 'backup');
        return {
          target,
          fileOf: (key) => path.join(target, key),
          keys: () => filesIn(target),
        };
      };
    },
  },
  {
    kind: 'a bucket',
    prepare: () => {
      const service = bucketService();
      let test = 0;
      beforeEach(() => void (test += 1));
      return () => {
        const prefix = `test/${test}`;
        const fileOf = (key: string) => service().fileOf(`${prefix}/${key}`);
        const suffix = path.basename(fileOf('')).replace(/^.*?\./, '.');
        return {
          target: `s3://${bucketName}/${prefix}`,
          fileOf,
          keys: () =>
            filesIn(path.dirname(fileOf('x')))
              .filter((name) => name.endsWith(suffix))
              .map((name) => name.slice(0, -suffix.length)),
        };
      };
    },
  },
];
