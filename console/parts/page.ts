import type { ComponentType } from 'preact';

/** Properties of a page: the named parts of its path. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

/** A module of a page, loaded when its path is visited. */
export type PageModule = { readonly Page: ComponentType<PageProps> };
