"""Logs a picture with a question about it, and reads the bytes back."""

import json

import braintrust
from braintrust import Attachment

PICTURE = bytes(range(256)) * 8

logger = braintrust.init_logger(project="picture-questions")
logger.log(
    input={
        "question": "What is this?",
        "picture": Attachment(data=PICTURE, filename="picture.png", content_type="image/png"),
    },
    output="noise",
)
logger.flush()

dataset = braintrust.init_dataset(project="picture-questions", name="pictures")
dataset.insert(
    id="p1",
    input={"picture": Attachment(data=PICTURE, filename="stored.png", content_type="image/png")},
    expected="noise",
)
dataset.flush()
(record,) = list(braintrust.init_dataset(project="picture-questions", name="pictures"))
print(json.dumps({"same": record["input"]["picture"].data == PICTURE}))
