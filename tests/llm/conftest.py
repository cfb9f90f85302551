from tests.llm.servers import hostile, llama

__all__ = ["hostile", "llama"]
