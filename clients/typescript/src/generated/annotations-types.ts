// Written by npm run client:typescript from the contract: change that.

export type AnnotationTemplate = {
  readonly id: string;
  readonly name: string;
  readonly include_explanation: boolean;
  readonly criteria: string | null;
  readonly constraints: Constraints;
  readonly created_at: string;
  readonly created_by: string;
  readonly position: number;
  readonly usage_count: number;
};

export type ChangeAnnotationTemplate = {
  readonly name?: string | null;
  readonly criteria?: string | null;
};

export type ChoiceConstraints = {
  readonly annotation_type: 'choice';
  readonly choices: readonly string[];
  readonly allow_other: boolean;
};

export type ChoiceConstraintsInput = {
  readonly annotation_type: 'choice';
  readonly choices: readonly string[];
  readonly allow_other?: boolean | null;
};

export type ChoiceRating = { readonly annotation_type: 'choice'; readonly value: string };

export type Constraints =
  | LikeConstraints
  | StarConstraints
  | TextConstraints
  | ScoreConstraints
  | TagsConstraints
  | ChoiceConstraints;

export type ConstraintsInput =
  | LikeConstraints
  | StarConstraints
  | TextConstraints
  | ScoreConstraints
  | TagsConstraintsInput
  | ChoiceConstraintsInput;

export type CreateAnnotationTemplate = {
  readonly name: string;
  readonly include_explanation?: boolean | null;
  readonly criteria?: string | null;
  readonly constraints: ConstraintsInput;
};

export type GiveRating = { readonly rating: RatingValue; readonly explanation?: string | null };

export type LikeConstraints = { readonly annotation_type: 'like_dislike' };

export type LikeRating = { readonly annotation_type: 'like_dislike'; readonly value: boolean };

export type RateTraces = {
  readonly operations: readonly RatingOperation[];
  readonly selector: TraceSelector;
};

export type Rating = {
  readonly rating: RatingValue;
  readonly explanation: string | null;
  readonly created_at: string;
  readonly created_by: string;
};

export type RatingOperation = {
  /** 'create' or 'delete' */
  readonly operation_type?: string;
  readonly annotation_template_id: string;
  readonly rating?: RatingValue | null;
  readonly explanation?: string | null;
};

export type RatingResult = {
  readonly operation: 'create' | 'delete';
  readonly success: boolean;
  readonly message: string;
  readonly selector: 'traces';
  readonly index: number;
  readonly trace: string;
};

export type RatingValue =
  LikeRating | StarRating | ScoreRating | TagsRating | TextRating | ChoiceRating;

export type ReorderAnnotationTemplates = { readonly ordering: readonly string[] };

export type ScoreConstraints = {
  readonly annotation_type: 'score';
  readonly min: number;
  readonly max: number;
};

export type ScoreRating = { readonly annotation_type: 'score'; readonly value: number };

export type StarConstraints = { readonly annotation_type: 'star' };

export type StarRating = { readonly annotation_type: 'star'; readonly value: number };

export type TagsConstraints = {
  readonly annotation_type: 'tags';
  readonly tags: readonly string[];
  readonly allow_other: boolean;
};

export type TagsConstraintsInput = {
  readonly annotation_type: 'tags';
  readonly tags: readonly string[];
  readonly allow_other?: boolean | null;
};

export type TagsRating = { readonly annotation_type: 'tags'; readonly value: readonly string[] };

export type TextConstraints = { readonly annotation_type: 'text' };

export type TextRating = { readonly annotation_type: 'text'; readonly value: string };

export type TraceSelector = {
  readonly traces: readonly string[];
  readonly selector_type?: 'traces';
};
