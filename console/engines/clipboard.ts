/** Copies text; resolves with false where the browser refuses, as without TLS. */
export type Clipboard = { readonly copy: (text: string) => Promise<boolean> };

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
  };
};
