/** Sentences by member: what the value is, its unit, form and bound, and when it is null. */
export type Sentences = Readonly<Record<string, string>>;

/**
 * Descriptions in the OpenAPI document for members whose schema has none of its own. `members`
 * applies to every component; `of` applies to the components that it names, separated by spaces,
 * and has precedence. A member of an unnamed object is `outer.inner`. Defaults are not repeated
 * here: they are taken from the schemas.
 */
export type Descriptions = {
  readonly members: Sentences;
  readonly of?: readonly { readonly components: string; readonly members: Sentences }[];
};
