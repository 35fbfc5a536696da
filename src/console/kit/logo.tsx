// The mark of Evalstore.
export const Logo = () => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" fill="var(--accent-fill)" />
    <path
      d="M4 11V8m4 3V5m4 6V7"
      stroke="var(--accent-ink)"
      strokeWidth="2"
      strokeLinecap="round"
    />
  </svg>
);
