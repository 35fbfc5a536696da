"""Requests that fit the document are accepted, but for what no schema can say."""

import re

import schemathesis
from schemathesis.checks import CHECKS

# The sentences of refusals that depend on what is stored, on the grammar of queries, on two query parameters together, or on
# a checksum.
BEYOND_SCHEMAS = [
    # What the request names does not exist.
    r"no \w+ (with the id|has (had )?the id|named) ",
    r"there is no attachment ",
    r"expected the id of the prompt, ",
    r"origin: expected an object with the id of an event",
    r"no row has the id ",
    r"no event of this experiment names an attachment ",
    r"this key does not belong to an organisation ",
    r" did not exist as of ",
    # What it asks for is taken, or the state of the object does not allow it.
    r"another \w+ (is already named|already has the slug) ",
    r"the content of the attachment .* is not uploaded yet$",
    r"the organisation would have no owner left",
    r"expected a time in the future, got ",
    r"^settings.retention_days: neither the project nor its organisation sets it",
    # Texts in a language of their own.
    r"^(query|filter)( line \d+, column \d+|[.\[\w\]]*): ",
    r"expected a transaction id of 19 digits or its short form",
    r"expected a transaction id or its 16 hex digits",
    r"the name of a time zone( or null)?, got ",
    r"^cursor: ",
    r"^url: expected an http or https address, ",
    # Query parameters, each of which is fine without the other.
    r"the query parameter is given more than once$",
    r"starting_after and ending_before cannot be given together$",
    r"max_xact_id and max_root_span_id: expected both or neither$",
    r"query parameter \"key\" is missing in the query string$",
]


@schemathesis.check
def accepts_what_fits(ctx, response, case):
    sentence = response.text
    if response.status_code == 400 and any(re.search(each, sentence) for each in BEYOND_SCHEMAS):
        return None
    return CHECKS.get_one("positive_data_acceptance")(ctx, response, case)
