"""Schema relations: which memories belong together, whatever is asked (METHOD section 2).

One file per relation. `relate` keeps their edges up to date; nothing here reads or writes.
"""

from graphmemix.relate.incremental import keys, relate
from graphmemix.relate.protocol import EdgeChange, Lookup

__all__ = ["EdgeChange", "Lookup", "keys", "relate"]
