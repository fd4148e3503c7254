export type Clipboard = {
  /** Copies text; resolves with false where the browser refuses, as without TLS. */
  readonly copy: (text: string) => Promise<boolean>;
  /** Calls `take` with each text that is pasted outside of a field, until the returned call. */
  readonly onPaste: (take: (text: string) => void) => () => void;
};

export const openClipboard = (window: Window): Clipboard => {
  // Undefined on pages without TLS, whatever the types say.
  const clipboard = window.navigator.clipboard as Navigator['clipboard'] | undefined;
  return {
    copy: async (text) => {
      if (clipboard === undefined) return false;
      return clipboard.writeText(text).then(
        () => true,
        () => false,
      );
    },
    onPaste: (take) => {
      const listen = (event: ClipboardEvent): void => {
        const { target } = event;
        if (target instanceof HTMLElement && target.matches('input, textarea, select')) return;
        const text = event.clipboardData?.getData('text/plain') ?? '';
        if (text !== '') take(text);
      };
      window.document.addEventListener('paste', listen);
      return () => window.document.removeEventListener('paste', listen);
    },
  };
};
