"""Logs more types of values than JSON has."""

import datetime
import decimal
import enum
import uuid
from dataclasses import dataclass

import braintrust


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: float


logger = braintrust.init_logger(project="python-values")
logger.log(
    id="values",
    input={
        "point": Point(1, 2.5),
        "tuple": (1, "two"),
        "none": None,
        "nan": float("nan"),
        "infinite": float("inf"),
        "text": "täglich \U0001f600",
        7: "number as key",
    },
    output=[datetime.date(2026, 11, 28).isoformat(), str(decimal.Decimal("0.10")), Colour.RED.value],
    metadata={"uuid": str(uuid.UUID(int=7)), "nested": {"deep": {"er": [[]]}}},
)
logger.flush()
