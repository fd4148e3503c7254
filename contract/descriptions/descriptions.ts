/** Sentences by member: what the value is, its unit, form and bound, and when it is null. */
export type Sentences = Readonly<Record<string, string>>;

/**
 * What the OpenAPI document says of members whose schema has no description of its own. `members`
 * holds for every component; `of` holds for the components that it names, separated by spaces, and
 * comes first. A member of an object without a name is `outer.inner`. Defaults are not repeated
 * here: they are taken from the schemas.
 */
export type Descriptions = {
  readonly members: Sentences;
  readonly of?: readonly { readonly components: string; readonly members: Sentences }[];
};
