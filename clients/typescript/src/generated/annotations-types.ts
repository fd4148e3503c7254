// Written by npm run generate from the contract: change that.

export type AnnotationTemplate = {
  /** Id of the template. */
  readonly id: string;
  /** Name of the template, unique in the project. */
  readonly name: string;
  /** True when ratings should have an explanation. */
  readonly include_explanation: boolean;
  /** Question to the annotators; null: none. */
  readonly criteria: string | null;
  /** Kind of the ratings and their bounds; never changes. */
  readonly constraints: Constraints;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Id of the user who created it. */
  readonly created_by: string;
  /** Place among the templates of the project, from 0. */
  readonly position: number;
  /** Number of current ratings. */
  readonly usage_count: number;
};

export type ChangeAnnotationTemplate = {
  /** Name of the template, unique in the project; null: unchanged. */
  readonly name?: string | null;
  /** Question to the annotators; null: unchanged. */
  readonly criteria?: string | null;
};

export type ChoiceConstraints = {
  /** Kind of the rating. */
  readonly annotation_type: 'choice';
  /** Labels to choose from, 1 to 100. */
  readonly choices: readonly string[];
  /** True allows labels that are not listed. */
  readonly allow_other: boolean;
};

export type ChoiceConstraintsInput = {
  /** Kind of the rating. */
  readonly annotation_type: 'choice';
  /** Labels to choose from, 1 to 100. */
  readonly choices: readonly string[];
  /** True allows labels that are not listed. Default: false. */
  readonly allow_other?: boolean | null;
};

export type ChoiceRating = {
  /** Kind of the rating; that of the template. */
  readonly annotation_type: 'choice';
  /** Label; of the template, unless it has `allow_other`. */
  readonly value: string;
};

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
  /** Name of the template, unique in the project, 1 to 255 characters. */
  readonly name: string;
  /** True when ratings should have an explanation. Default: false. */
  readonly include_explanation?: boolean | null;
  /** Question to the annotators; null: none. */
  readonly criteria?: string | null;
  /** Kind of the ratings and their bounds; never changes. */
  readonly constraints: ConstraintsInput;
};

export type GiveRating = {
  /** Rating; null only of a withdrawal. */
  readonly rating: RatingValue;
  /** Reason of the rating, 1 to 4,096 characters; null: none. */
  readonly explanation?: string | null;
};

export type LikeConstraints = {
  /** Kind of the rating. */
  readonly annotation_type: 'like_dislike';
};

export type LikeRating = {
  /** Kind of the rating; that of the template. */
  readonly annotation_type: 'like_dislike';
  /** True: like; false: dislike. */
  readonly value: boolean;
};

export type RateTraces = {
  /** Ratings to give or withdraw, 1 to 20, decided one by one. */
  readonly operations: readonly RatingOperation[];
  /** Traces that are rated. */
  readonly selector: TraceSelector;
};

export type Rating = {
  /** Rating; null only of a withdrawal. */
  readonly rating: RatingValue;
  /** Reason of the rating, 1 to 4,096 characters; null: none. */
  readonly explanation: string | null;
  /** Time when the rating was given. */
  readonly created_at: string;
  /** Id of the user who rated. */
  readonly created_by: string;
};

export type RatingOperation = {
  /** Kind of the operation: `create` or `delete`. Default: "create". */
  readonly operation_type?: string;
  /** Id of the annotation template. */
  readonly annotation_template_id: string;
  /** Rating; null only of a withdrawal. */
  readonly rating?: RatingValue | null;
  /** Reason of the rating, 1 to 4,096 characters; null: none. */
  readonly explanation?: string | null;
};

export type RatingResult = {
  /** Operation that was requested. */
  readonly operation: 'create' | 'delete';
  /** True when the rating is now as wanted. */
  readonly success: boolean;
  /** Sentence about what was done, or why not. */
  readonly message: string;
  /** Kind of the selection: `traces`. */
  readonly selector: 'traces';
  /** Index of the operation in `operations`. */
  readonly index: number;
  /** Id of the trace. */
  readonly trace: string;
};

export type RatingValue =
  LikeRating | StarRating | ScoreRating | TagsRating | TextRating | ChoiceRating;

export type ReorderAnnotationTemplates = {
  /** Ids of all live templates in their new order. */
  readonly ordering: readonly string[];
};

export type ScoreConstraints = {
  /** Kind of the rating. */
  readonly annotation_type: 'score';
  /** Lowest score. */
  readonly min: number;
  /** Highest score; not below `min`. */
  readonly max: number;
};

export type ScoreRating = {
  /** Kind of the rating; that of the template. */
  readonly annotation_type: 'score';
  /** Score, from `min` to `max` of the template. */
  readonly value: number;
};

export type StarConstraints = {
  /** Kind of the rating. */
  readonly annotation_type: 'star';
};

export type StarRating = {
  /** Kind of the rating; that of the template. */
  readonly annotation_type: 'star';
  /** Number of stars, 1 to 5. */
  readonly value: number;
};

export type TagsConstraints = {
  /** Kind of the rating. */
  readonly annotation_type: 'tags';
  /** Labels that a rating may have, 1 to 100. */
  readonly tags: readonly string[];
  /** True allows labels that are not listed. */
  readonly allow_other: boolean;
};

export type TagsConstraintsInput = {
  /** Kind of the rating. */
  readonly annotation_type: 'tags';
  /** Labels that a rating may have, 1 to 100. */
  readonly tags: readonly string[];
  /** True allows labels that are not listed. Default: false. */
  readonly allow_other?: boolean | null;
};

export type TagsRating = {
  /** Kind of the rating; that of the template. */
  readonly annotation_type: 'tags';
  /** Labels; of the template, unless it has `allow_other`. */
  readonly value: readonly string[];
};

export type TextConstraints = {
  /** Kind of the rating. */
  readonly annotation_type: 'text';
};

export type TextRating = {
  /** Kind of the rating; that of the template. */
  readonly annotation_type: 'text';
  /** Text, 1 to 4,096 characters. */
  readonly value: string;
};

export type TraceSelector = {
  /** Ids of the traces, 1 to 1,000. */
  readonly traces: readonly string[];
  /** Kind of the selection; `traces` is the only one. Default: "traces". */
  readonly selector_type?: 'traces';
};
