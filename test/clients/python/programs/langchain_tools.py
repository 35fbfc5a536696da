"""A tool and a retriever of LangChain, reported by the global handler of `braintrust_langchain`."""

import braintrust
from braintrust_langchain import BraintrustCallbackHandler, set_global_handler
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

braintrust.init_logger(project="langchain-tools")
set_global_handler(BraintrustCallbackHandler())


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    if city == "Nowhere":
        raise ValueError("unknown city")
    return f"sunny in {city}"


class Documents(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(page_content="Paris is the capital.", metadata={"source": "a.md"})]


with braintrust.start_span(name="agent"):
    Documents().invoke("capital")
    message = ChatOpenAI(model="gpt-4o").bind_tools([weather]).invoke("Weather in Paris?")
    weather.invoke(message.tool_calls[0])
    try:
        weather.invoke({"city": "Nowhere"})
    except ValueError:
        pass
braintrust.flush()
