"""From candidates to prizes and trusted links: by a language model, or by a small local one."""
