"""Seals. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Optional

from ..noun import Noun
from ..operation import Operation
from ..pages import Pages
from ..types import HistoryConsistency, HistoryProof, HistorySeal, SealingKeySet

_read_checkpoint = Operation("GET", "/v2/history/checkpoint", "read", answer="text")
_prove_consistency = Operation("GET", "/v2/history/consistency", "read")
_list_sealing_keys = Operation("GET", "/v2/history/keys", "read")
_prove_entry = Operation("GET", "/v2/history/proof", "read")
_list = Operation("GET", "/v2/history/seals", "read", rows="seals", token="cursor")


class Seals(Noun):
    """Signed states of the history, and proofs that need no trust in the service."""

    def read_checkpoint(self) -> str:
        """The newest seal of the history, as a checkpoint.

        A C2SP tlog-checkpoint: origin, size and root, signed. Keep it somewhere else: a history
        that was written anew later does not continue it. Requires `audit-org`; contract 5.14.
        """
        return self._ask(_read_checkpoint)

    def prove_consistency(
        self,
        *,
        from_: Optional[int] = None,
        to: Optional[int] = None,
    ) -> HistoryConsistency:
        """Prove that an earlier history is a prefix of a later one.

        Consistency proof (RFC 9162, 2.1.4): compares a stored checkpoint with today’s. Requires
        `audit-org`; contract 5.14.
        """
        return self._ask(
            _prove_consistency,
            query={"from": from_, "to": to},
        )

    def list_sealing_keys(self) -> SealingKeySet:
        """All keys that seals were ever signed with.

        A JWK set. An auditor takes the key from elsewhere once and compares: a key from the
        service cannot vouch for the service. Requires `public`; contract 5.14.
        """
        return self._ask(_list_sealing_keys)

    def prove_entry(
        self,
        *,
        event_id: Optional[str] = None,
        seq: Optional[int] = None,
        size: Optional[int] = None,
    ) -> HistoryProof:
        """Prove that an entry is in a sealed history.

        Exactly one of `event_id` and `seq`; an id is looked for from the newest entry on for 10
        s. `proof` is a C2SP tlog-proof for the leaf SHA-256(0x00, `hash`). Requires
        `audit-resource`; contract 5.14.
        """
        return self._ask(
            _prove_entry,
            query={"event_id": event_id, "seq": seq, "size": size},
        )

    def list(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> Pages[HistorySeal]:
        """Seals of the history, newest first.

        Each covers the entries up to `size` and continues the one before: it was proven before it
        was signed. Requires `audit-org`; contract 5.14.
        """
        return self._pages(
            _list,
            query={"cursor": cursor, "limit": limit},
        )
