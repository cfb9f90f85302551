from tests.models.servers import hostile, llama

__all__ = ["hostile", "llama"]
