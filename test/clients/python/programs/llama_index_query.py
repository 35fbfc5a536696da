"""A query over documents with LlamaIndex, instrumented by OpenInference; its model is its own mock."""

from braintrust.otel import BraintrustSpanProcessor
from llama_index.core import Document, SummaryIndex
from llama_index.core.llms import MockLLM
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from opentelemetry.sdk.trace import TracerProvider

provider = TracerProvider()
provider.add_span_processor(BraintrustSpanProcessor(parent="project_name:llama-index"))
LlamaIndexInstrumentor().instrument(tracer_provider=provider)

index = SummaryIndex.from_documents([Document(text="Paris is the capital of France.")])
print(index.as_query_engine(llm=MockLLM(max_tokens=8)).query("Capital of France?"))
provider.shutdown()
