"""Makes the reference from the code: whatever is exported, set, called or served is in it."""
