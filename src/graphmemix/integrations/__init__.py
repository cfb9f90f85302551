"""GraphMemix inside other frameworks, and for models that call tools.

::

    langchain.py       a retriever for LangChain       (extra ``langchain``)
    llamaindex.py      a retriever for LlamaIndex      (extra ``llamaindex``)
    openai_tools.py    tools for OpenAI-style chat APIs, with a dispatcher
    tools.py           the tools of these APIs and of MCP: names, arguments, results
    evidence.py        a chosen memory in the form that both retrievers return
"""

__all__: list[str] = []
