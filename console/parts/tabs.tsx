type Tab<K extends string> = { readonly key: K; readonly text: string };

/** Tabs as buttons of which one is pressed; the page shows what belongs to it below. */
export const Tabs = <K extends string>(props: {
  readonly label: string;
  readonly tabs: readonly Tab<K>[];
  readonly selected: K;
  readonly onSelect: (key: K) => void;
}) => (
  <div class="tabs" role="tablist" aria-label={props.label}>
    {props.tabs.map(({ key, text }) => (
      <button
        key={key}
        type="button"
        role="tab"
        aria-selected={key === props.selected}
        tabIndex={key === props.selected ? 0 : -1}
        onClick={() => props.onSelect(key)}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
          const index = props.tabs.findIndex((tab) => tab.key === props.selected) + step;
          const next = props.tabs[index];
          if (step === 0 || next === undefined) return;
          event.preventDefault();
          props.onSelect(next.key);
          const buttons = event.currentTarget.parentElement?.querySelectorAll('button');
          buttons?.[index]?.focus();
        }}
      >
        {text}
      </button>
    ))}
  </div>
);
