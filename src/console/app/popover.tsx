// A button with a small panel below it, in the top layer. Escape and a click elsewhere close it.
import { useId, useRef, useState, type ReactNode } from 'react';

interface PopoverProps {
  readonly label: ReactNode;
  readonly title?: string;
  readonly className?: string;
  readonly isPressed?: boolean;
  readonly children: (close: () => void) => ReactNode;
}

const margin = 8;
const width = 320;

export function Popover({ label, title, className = '', isPressed, children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        title={title}
        popoverTarget={id}
        aria-expanded={place !== null}
        aria-pressed={isPressed}
      >
        {label}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className="popover"
        style={place === null ? undefined : { left: place.left, top: place.top }}
        onToggle={(event) => {
          const isOpen = event.nativeEvent.newState === 'open';
          const box = button.current!.getBoundingClientRect();
          const left = Math.max(margin, Math.min(box.left, window.innerWidth - width - margin));
          setPlace(isOpen ? { left, top: box.bottom + 4 } : null);
        }}
      >
        {place !== null && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
