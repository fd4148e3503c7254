type Policy = { readonly createScriptURL: (address: string) => string };
type Factory = {
  readonly createPolicy: (name: string, rules: Policy) => Policy;
};

/**
 * The Trusted Types policy `assay`, the only one that the content security policy allows: it makes
 * the addresses of workers, and of nothing outside of `folder`. Made once per page.
 */
export const openScriptPolicy = (window: Window, folder: URL): Policy => {
  const { trustedTypes } = window as { readonly trustedTypes?: Factory };
  const rules = {
    createScriptURL: (address: string): string => {
      const { href } = new URL(address, folder);
      if (!href.startsWith(folder.href)) throw new TypeError('A script of another folder');
      return href;
    },
  };
  return trustedTypes?.createPolicy('assay', rules) ?? rules;
};
