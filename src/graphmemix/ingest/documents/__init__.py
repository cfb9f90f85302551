"""Documents: files that a person reads, as memories of their pages, sections or entries."""
