"""GraphMemix inside other frameworks, and for models that call tools.

::

    langchain.py       a retriever for LangChain       (extra ``langchain``)
    llamaindex.py      a retriever for LlamaIndex      (extra ``llamaindex``)
    openai_tools.py    tools for OpenAI-style chat APIs, with a dispatcher
    tools.py           what those tools and the MCP server's are: names, arguments, replies
    evidence.py        what both retrievers tell of a memory
"""

__all__: list[str] = []
