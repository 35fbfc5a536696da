// Shows a new secret, once.
import { CopyButton } from '../../kit/copy.js';

interface SecretProps {
  readonly name: string;
  readonly secret: string;
  readonly close: () => void;
}

export const Secret = ({ name, secret, close }: SecretProps) => (
  <section className="secret panel" role="status" aria-label="New key">
    <p>
      The secret of <b>{name}</b>. Copy it now: it is not shown again.
    </p>
    <div className="inline-form">
      <code>{secret}</code>
      <CopyButton text={secret} />
      <button type="button" className="small" onClick={close}>
        Done
      </button>
    </div>
  </section>
);
