/** The mark of the console: three stacked cards, the front one ticked. */
export function Logo({ size = 24 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="logo">
      <rect x="10" y="3" width="19" height="19" rx="5" opacity=".35" />
      <rect x="6.5" y="6.5" width="19" height="19" rx="5" opacity=".6" />
      <rect x="3" y="10" width="19" height="19" rx="5" />
      <path d="M8 19.5l3.2 3.2L17 17" className="logo-tick" />
    </svg>
  );
}
