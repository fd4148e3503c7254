type Side = 'input' | 'output';
type TokenPart = {
  readonly side: Side;
  /** Metric that counts these tokens (contract 3.4). */
  readonly metric: string;
  /** Words for these tokens in descriptions and on pages. */
  readonly label: string;
};

/**
 * Kinds of tokens that may have a price of their own, each a part of the input or of the output
 * (contract 3.4, rule 8). Contract, events and costs follow from this table.
 */
export const tokenParts = {
  cache_read: { side: 'input', metric: 'num_cached_input_tokens', label: 'cached input' },
  cache_write: {
    side: 'input',
    metric: 'num_cache_creation_input_tokens',
    label: 'cache creation input',
  },
  reasoning: { side: 'output', metric: 'num_reasoning_tokens', label: 'reasoning' },
  input_audio: { side: 'input', metric: 'num_audio_input_tokens', label: 'audio input' },
  output_audio: { side: 'output', metric: 'num_audio_output_tokens', label: 'audio output' },
  input_image: { side: 'input', metric: 'num_image_input_tokens', label: 'image input' },
  output_image: { side: 'output', metric: 'num_image_output_tokens', label: 'image output' },
} as const satisfies Readonly<Record<string, TokenPart>>;

export type TokenPartName = keyof typeof tokenParts;
export type TokenKind = Side | TokenPartName;

export const tokenPartNames = Object.keys(tokenParts) as readonly TokenPartName[];

export const tokenKinds: readonly TokenKind[] = ['input', 'output', ...tokenPartNames];

/** Names of the parts of each side, in the order of the table. */
export const partsOfSide: Readonly<Record<Side, readonly TokenPartName[]>> = {
  input: tokenPartNames.filter((part) => tokenParts[part].side === 'input'),
  output: tokenPartNames.filter((part) => tokenParts[part].side === 'output'),
};

/** An object with a member for each part, made of its entry. */
export const mapTokenParts = <T>(
  make: (part: TokenPart) => T,
): Readonly<Record<TokenPartName, T>> =>
  Object.fromEntries(tokenPartNames.map((name) => [name, make(tokenParts[name])])) as Record<
    TokenPartName,
    T
  >;

/**
 * Tokens of a call. `input` and `output` are whole counts, of which the other kinds are parts; a
 * kind that is absent or null was not counted.
 */
export type TokensByKind = { readonly [kind in TokenKind]?: number | null };

/** Dollars per million tokens; a part without a price costs what its side does. */
export type TokenPrices = { readonly [side in Side]: number } & {
  readonly [part in TokenPartName]?: number;
};

/** Price of a span, with the list that it is from; prices of before kinds (D-245) have none. */
export type SpanPrice = TokenPrices & { readonly list?: string };

/** Tokens of a record by kind, from its metrics. */
export const tokensOfMetrics = (numberOf: (metric: string) => number | null): TokensByKind => {
  const tokens: { [kind in TokenKind]?: number | null } = {
    input: numberOf('num_input_tokens'),
    output: numberOf('num_output_tokens'),
  };
  for (const part of tokenPartNames) tokens[part] = numberOf(tokenParts[part].metric);
  return tokens;
};
