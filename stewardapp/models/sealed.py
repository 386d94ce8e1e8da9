"""Values that come from data, in rows: sealed under a data key, so that they go when the key goes.

A row keeps bytes that name their key. What they say is opened when somebody looks at it, and is bound to its
place: the bytes of one row open in no other. A plain value cannot be stored by mistake: the column takes
nothing but `Sealed`.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db import models

from stewardapp import keyring
from stewardapp.canonical import canonical

FORMAT = b"\x01"
_KEY = slice(1, 17)
_NONCE = slice(17, 29)
_REST = slice(29, None)


@dataclass(frozen=True, slots=True)
class Sealed:
    """Bytes as a row keeps them: a format, the id of a key, a nonce, what AES-GCM made of a JSON document."""

    stored: bytes

    @classmethod
    def of(cls, value: object, key: uuid.UUID, place: str) -> Self:
        """Seal a value for one place."""
        nonce, label = os.urandom(12), FORMAT + key.bytes + place.encode()
        sealed = AESGCM(keyring.key_of(key)).encrypt(nonce, canonical(value).encode(), label)
        return cls(FORMAT + key.bytes + nonce + sealed)

    @property
    def key(self) -> uuid.UUID:
        """Which key opens it."""
        return uuid.UUID(bytes=self.stored[_KEY])

    def opened(self, place: str) -> Any:
        """The value; `keyring.Destroyed` when its key was."""
        label = FORMAT + self.stored[_KEY] + place.encode()
        cipher = AESGCM(keyring.key_of(self.key))
        return json.loads(cipher.decrypt(self.stored[_NONCE], self.stored[_REST], label))


def place_of(table: str, row: object, column: str) -> str:
    """Where a sealed value stands: it opens nowhere else."""
    return f"{table}/{row}/{column}"


class SealedField(models.BinaryField):  # type: ignore[type-arg]
    """A column of sealed values; NULL is the empty value."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"null": True, "blank": True, **kwargs})

    def from_db_value(self, value: Any, *_: object) -> Sealed | None:
        """What the row holds, unopened."""
        return None if value is None else Sealed(bytes(value))

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        """Only what is sealed is written."""
        if value is not None and not isinstance(value, Sealed):
            raise TypeError(f"{self.name} takes sealed values only")
        stored = None if value is None else value.stored
        return super().get_db_prep_value(stored, connection, prepared)

    def value_to_string(self, obj: models.Model) -> str:  # noqa: ARG002
        """Nothing is ever written out in clear."""
        raise TypeError(f"{self.name} is not written out")


class opened(property):  # noqa: N801 - a property, which Django knows as one
    """The value of a sealed column of the same row: `recipe = opened("sealed_recipe")`.

    It is opened when it is looked at. After its key was destroyed it reads as empty: the row tells the
    page when that was, and what must not go on without it asks for the key and is refused.
    """

    def __init__(self, column: str, empty: Callable[[], Any] = dict) -> None:
        self.column, self.empty = column, empty
        super().__init__(self._get, self._set)

    def _get(self, row: SealedRow) -> Any:
        sealed: Sealed | None = getattr(row, self.column)
        if sealed is None:
            return self.empty()
        known: dict[str, tuple[Sealed, Any]] = row.__dict__.setdefault("_opened", {})
        if self.column not in known or known[self.column][0] is not sealed:
            try:
                known[self.column] = (sealed, sealed.opened(row.place(self.column)))
            except keyring.Destroyed:
                return self.empty()
        return known[self.column][1]

    def _set(self, row: SealedRow, value: Any) -> None:
        setattr(row, self.column, row.seal(self.column, value, self.empty()))


class SealedRow(models.Model):
    """A row with sealed columns, that knows which key what is new in it is sealed under."""

    class Meta:
        abstract = True

    @property
    def sealing_key(self) -> uuid.UUID:
        """The key of what this row holds."""
        raise NotImplementedError

    def place(self, column: str) -> str:
        """Where a value of this row stands."""
        return place_of(self._meta.db_table, self.pk, column)

    def seal(self, column: str, value: Any, empty: Any) -> Sealed | None:
        """A value sealed for a column of this row."""
        return None if value == empty else Sealed.of(value, self.sealing_key, self.place(column))

    def saying(self, **values: Any) -> Self:
        """This new row with these values in its sealed columns."""
        for name, value in values.items():
            setattr(self, name, value)
        return self

    def sealed(self, **values: Any) -> Mapping[str, Sealed | None]:
        """Values by the names they are looked at by, as an UPDATE of this row takes them."""
        found = {name: getattr(type(self), name) for name in values}
        return {one.column: self.seal(one.column, values[name], one.empty()) for name, one in found.items()}
