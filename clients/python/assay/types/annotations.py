"""Types of annotations. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union

__all__ = [
    "AnnotationTemplate",
    "ChoiceConstraints",
    "ChoiceConstraintsInput",
    "ChoiceRating",
    "Constraints",
    "ConstraintsInput",
    "LikeConstraints",
    "LikeRating",
    "Rating",
    "RatingOperation",
    "RatingResult",
    "RatingValue",
    "ScoreConstraints",
    "ScoreRating",
    "StarConstraints",
    "StarRating",
    "TagsConstraints",
    "TagsConstraintsInput",
    "TagsRating",
    "TextConstraints",
    "TextRating",
    "TraceSelector",
]


class AnnotationTemplate(TypedDict):
    id: str
    name: str
    include_explanation: bool
    criteria: Optional[str]
    constraints: Constraints
    created_at: str
    created_by: str
    position: int
    usage_count: int


class ChoiceConstraints(TypedDict):
    annotation_type: Literal["choice"]
    choices: List[str]
    allow_other: bool


class _ChoiceConstraintsInput(TypedDict):
    annotation_type: Literal["choice"]
    choices: List[str]


class ChoiceConstraintsInput(_ChoiceConstraintsInput, total=False):
    allow_other: Optional[bool]


class ChoiceRating(TypedDict):
    annotation_type: Literal["choice"]
    value: str


Constraints = Union[
    "LikeConstraints",
    "StarConstraints",
    "TextConstraints",
    "ScoreConstraints",
    "TagsConstraints",
    "ChoiceConstraints",
]


ConstraintsInput = Union[
    "LikeConstraints",
    "StarConstraints",
    "TextConstraints",
    "ScoreConstraints",
    "TagsConstraintsInput",
    "ChoiceConstraintsInput",
]


class LikeConstraints(TypedDict):
    annotation_type: Literal["like_dislike"]


class LikeRating(TypedDict):
    annotation_type: Literal["like_dislike"]
    value: bool


class Rating(TypedDict):
    rating: RatingValue
    explanation: Optional[str]
    created_at: str
    created_by: str


class _RatingOperation(TypedDict):
    annotation_template_id: str


class RatingOperation(_RatingOperation, total=False):
    operation_type: str
    rating: Optional[RatingValue]
    explanation: Optional[str]


class RatingResult(TypedDict):
    operation: Literal["create", "delete"]
    success: bool
    message: str
    selector: Literal["traces"]
    index: int
    trace: str


RatingValue = Union[
    "LikeRating",
    "StarRating",
    "ScoreRating",
    "TagsRating",
    "TextRating",
    "ChoiceRating",
]


class ScoreConstraints(TypedDict):
    annotation_type: Literal["score"]
    min: int
    max: int


class ScoreRating(TypedDict):
    annotation_type: Literal["score"]
    value: int


class StarConstraints(TypedDict):
    annotation_type: Literal["star"]


class StarRating(TypedDict):
    annotation_type: Literal["star"]
    value: int


class TagsConstraints(TypedDict):
    annotation_type: Literal["tags"]
    tags: List[str]
    allow_other: bool


class _TagsConstraintsInput(TypedDict):
    annotation_type: Literal["tags"]
    tags: List[str]


class TagsConstraintsInput(_TagsConstraintsInput, total=False):
    allow_other: Optional[bool]


class TagsRating(TypedDict):
    annotation_type: Literal["tags"]
    value: List[str]


class TextConstraints(TypedDict):
    annotation_type: Literal["text"]


class TextRating(TypedDict):
    annotation_type: Literal["text"]
    value: str


class _TraceSelector(TypedDict):
    traces: List[str]


class TraceSelector(_TraceSelector, total=False):
    selector_type: Literal["traces"]
