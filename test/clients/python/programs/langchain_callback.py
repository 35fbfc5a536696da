"""A chain of LangChain with the callback handler: prompt, model, parser."""

import braintrust
from braintrust.integrations.langchain import BraintrustCallbackHandler
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI

braintrust.init_logger(project="langchain-chain")
chain = (
    ChatPromptTemplate.from_messages([("system", "Be brief."), ("user", "Capital of {country}?")])
    | ChatOpenAI(model="gpt-4o", temperature=0.5)
    | StrOutputParser()
)
print(chain.invoke({"country": "France"}, config={"callbacks": [BraintrustCallbackHandler()], "tags": ["demo"]}))
braintrust.flush()
