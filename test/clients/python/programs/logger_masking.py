"""Masks what looks like an address of mail before it leaves the process."""

import re

import braintrust


def mask(value):
    if isinstance(value, str):
        return re.sub(r"\S+@\S+", "<mail>", value)
    if isinstance(value, dict):
        return {key: mask(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [mask(inner) for inner in value]
    return value


braintrust.set_masking_function(mask)
logger = braintrust.init_logger(project="masked-support")
logger.log(input={"from": "ann@example.com"}, output="Dear ann@example.com", metadata={"to": ["ops@example.com"]})
logger.flush()
